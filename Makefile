# SPDX-License-Identifier: MIT
#
# Forwards to tools/ and to CMake's presets; no work is done here. `make help`
# says what there is.

.DEFAULT_GOAL := help
.PHONY: help grade .grade test test-all test-seeds check check-format check-warnings check-tidy
.PHONY: format student docs plots slides ci bench bench-vgpu clean distclean
SHELL := /bin/sh
J ?= 2 # tests at a time

# make exits with 2 whenever a recipe fails, but `make grade` is to exit as
# scanlab does: 0 full marks, 1 points missing, 2 an error. Only in question mode
# (-q) does GNU make exit with 1: when a recipe is left to be run. So grade runs
# in that mode, in which lines that begin with + are run all the same, and a
# recipe is left over when points are missing.
dry_run := $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
ifeq (,$(dry_run))
do := +@unset MAKEFLAGS MAKELEVEL MFLAGS;
ifneq (,$(filter grade,$(MAKECMDGOALS)))
MAKEFLAGS += -q
endif
endif

werror = $(if $(WERROR),-DSCANLAB_WERROR=ON)
grade_options = $(LAB) $(if $(SUBMISSION),--submission '$(SUBMISSION)') \
	$(if $(SEED),--seed '$(SEED)') $(if $(CHECK),--check '$(CHECK)') \
	$(if $(DEVICE),--device '$(DEVICE)') $(if $(FAST),--fast) $(if $(FORMAT),--format '$(FORMAT)') \
	$(if $(N),-n '$(N)') $(if $(OUT),-o '$(OUT)') $(if $(V),-v)

help:
	$(do) sed -n 's/^#: //p' Makefile

#: ScanLab: parallel prefix scans on GPUs, graded without one.
#:
#: make grade                grade student/; sets up and builds what is missing
#:   LAB="naive ..."         only these labs
#:   SUBMISSION=reference    another folder
#:   CHECK=ID N=SIZE SEED=X  one check; one size; the inputs of an earlier run
#:   DEVICE=auto|vgpu|gpu    where CUDA runs
#:   FAST=1                  with the checks that are timed on a real GPU
#:   FORMAT=json OUT=FILE    the grade as data
#:   V=1                     more about each check
#:                           exit status: 0 full marks, 1 points missing, 2 error
grade: .grade
	$(shell cat build/points-missing.$$PPID 2>/dev/null; rm -f build/points-missing.$$PPID)

.grade:
	$(do) tools/setup.sh grade && status=0 && \
	{ tools/build.sh $(werror) default programs \
	build/bin/scanlab grade $(grade_options) || status=$$?; } && \
	{ [ $$status -le 1 ] || exit $$status; } && \
	echo '$(or $(SUBMISSION),student)' >build/graded && { [ $$status = 0 ] || \
	echo points are missing >build/points-missing.$$PPID; }

#:
#: make test                 the tests of ScanLab itself; T=REGEX: only these
#:                           exit status: 0 all passed; 2 some failed, or there
#:                           are none (a copy without tests/)
test:
	$(do) tools/setup.sh test && \
	tools/build.sh $(werror) default all \
	tools/test.sh build -j $(J) $(if $(T),-R '$(T)',-LE '^nightly$$')

#: make test-all             whole labs, all seeds, nightly tests too (long)
test-all:
	$(do) tools/setup.sh test && \
	tools/build.sh $(werror) default all && \
	SCANLAB_TEST_ALL=1 tools/build.sh $(werror) default nightly \
	tools/test.sh build -j $(J) $(if $(T),-R '$(T)')

#: make test-seeds           right submissions under SEEDS=200 schedules each (minutes)
SEEDS ?= 200
test-seeds:
	$(do) tools/setup.sh test && \
	SCANLAB_TEST_SEEDS=$(SEEDS) tools/build.sh default all \
	tools/test.sh build -j $(J) -L '^grade$$' \
	-R '$(or $(T),[.]honest-|[.]seeds$$|^fast[.])'

#: make check                layout, warnings as errors, likely mistakes
check: check-format check-warnings check-tidy
check-format:
	$(do) tools/setup.sh check && tools/check_format.sh
check-warnings:
	$(do) tools/setup.sh test && tools/build.sh werror all
check-tidy:
	$(do) tools/setup.sh tidy && tools/build.sh default check-tidy

#: make format               lay out the C and CUDA sources
format:
	$(do) tools/setup.sh check && tools/check_format.sh --fix

#: make student              make student/ from reference/
student:
	$(do) tools/setup.sh student && tools/make_student.sh

#: make docs                 the documentation, build/docs/html/index.html
docs:
	$(do) tools/setup.sh docs && tools/build.sh default docs

#: make plots                draw the figures, build/plots (SVG, PNG, PDF); after
#:                           make grade with the counts of what was graded
#:   DATA=FOLDER|FILE        from these CSV files, or from this one of timings,
#:                           instead of plots/data
plots:
	$(do) tools/setup.sh plots && plots/make.sh build '$(DATA)'

#: make slides               the decks and their notes, build/slides/*.pdf
#:   DECK=NN-name            only this deck
slides:
	$(do) tools/setup.sh slides && plots/draw.sh build/plots && \
	slides/build.sh build/plots build/slides $(DECK)

#: make bench              on a machine with a GPU: references, CUB, Thrust, copy
#:   SUITE=full SUBMISSION=DIR OUT=FILE    timing/docs/bench.md; CPU=1: lab 0's
bench:
	$(do) tools/setup.sh grade && tools/build.sh default programs \
	build/bin/scanlab bench $(LAB) $(if $(SUITE),--suite '$(SUITE)') \
	$(if $(CPU),--cpu) $(if $(SUBMISSION),--submission '$(SUBMISSION)') \
	$(if $(N),-n '$(N)') $(if $(OUT),-o '$(OUT)')

#: make bench-vgpu         how fast the virtual GPU is, beside its peers
bench-vgpu:
	$(do) tools/setup.sh grade && { tools/setup.sh bench || \
	echo "bench-vgpu: going on without Oclgrind" >&2; } && \
	tools/build.sh default bench-vgpu

#: make ci                   what continuous integration runs
ci:
	$(do) .ci/run

#: make clean                remove what was built
#: make distclean            remove build/ with the fetched CUDA compiler, too
clean:
	$(do) [ ! -e build/build.ninja ] || tools/build.sh default clean
	$(do) rm -rf build/asan build/werror build/release build/docs build/cache

distclean:
	$(do) rm -rf build
