#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: the step Run of action.yml: each line of $VGPU_RUN is a program with its
# arguments. Exit status: 0 all ended with 0 and nothing was found; else 1. What was
# said of each is in the job's summary, too.
set -uo pipefail
failed=0
said=$(mktemp)
trap 'rm -f "$said"' EXIT
read -ra options <<<"$VGPU_OPTIONS"
while IFS= read -r line; do
    read -ra words <<<"$line"
    [ ${#words[@]} -gt 0 ] || continue
    echo "::group::vgpu $line"
    vgpu "${options[@]}" -- "${words[@]}" 2>&1 </dev/null | tee "$said"
    status=${PIPESTATUS[0]}
    echo "::endgroup::"
    {
        echo "### \`$line\`: exit status $status"
        echo '```'
        head -c 20000 "$said"
        echo '```'
    } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
    if [ "$status" -ne 0 ]; then
        failed=1
        echo "::error title=vgpu::$line: exit status $status: $(grep -m 1 '^ *1\. ' "$said" ||
            echo 'see the log')"
    fi
done <<<"$VGPU_RUN"
exit $failed
