#!/bin/sh
# SPDX-License-Identifier: MIT
#
# setup.sh: Gradescope runs it once, as root, when it makes the image of an
# assignment. It builds ScanLab from the sources beside it, with the CUDA compiler
# that tools/setup.sh fetches, and leaves in /autograder what run_autograder needs:
#   scanlab/   programs, labs, compiler
#   course/    what is laid over the labs, if anything is
set -eu
cd /autograder
export DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q install -y --no-install-recommends make gettext python3 ca-certificates
chmod +x source/scanlab/tools/*.sh # whatever unpacked the zip
make -C source/scanlab install PREFIX=/autograder/scanlab
# What was only needed to build: the image becomes smaller by half.
rm -rf source/scanlab
[ ! -d source/course ] || mv source/course course
apt-get -q clean
