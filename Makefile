# SPDX-License-Identifier: MIT
#
# Forwards to tools/ and to CMake's presets; no work is done here. `make help`
# says what there is.

.DEFAULT_GOAL := help
.PHONY: help grade .grade test test-seeds check check-format check-warnings check-tidy
.PHONY: format student docs plots slides ci bench bench-vgpu clean distclean
SHELL := /bin/sh
J ?= 2 # tests at a time

# make itself exits with 2 whenever a recipe fails, but `make grade` is to exit
# as scanlab does: 0 full marks, 1 points missing, 2 an error. In question mode
# (-q) make exits with 1 when a recipe is left to be run; so grade runs in that
# mode, and a recipe is left over when points are missing (`.grade` below says
# how). Lines that begin with + are run in question mode, too.
dry_run := $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
ifeq (,$(dry_run))
do := +@unset MAKEFLAGS MAKELEVEL MFLAGS;
ifneq (,$(filter grade,$(MAKECMDGOALS)))
MAKEFLAGS += -q
endif
endif

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
	$(if $(filter 1,$(shell cat build/grade-status)),points are missing)

.grade:
	$(do) tools/setup.sh grade && tools/build.sh default programs && \
	{ status=0; build/bin/scanlab grade $(grade_options) || status=$$?; } && \
	echo $$status >build/grade-status && \
	echo '$(or $(SUBMISSION),student)' >build/graded && \
	{ [ $$status -le 1 ] || exit $$status; }

#:
#: make test                 every test of ScanLab itself; T=REGEX: only these
test:
	$(do) tools/setup.sh test && \
	tools/build.sh $(if $(WERROR),-DSCANLAB_WERROR=ON) default all && \
	tools/test.sh build -j $(J) $(if $(T),-R '$(T)')

#: make test-seeds           every graded test again under SEEDS=50 seeds (long)
SEEDS ?= 50
test-seeds:
	$(do) tools/setup.sh test && tools/build.sh default all && \
	for seed in $$(seq $(SEEDS)); do echo "seed $$seed"; \
	SCANLAB_TEST_SEED=$$seed tools/test.sh build -j $(J) -L '^grade$$' \
	$(if $(T),-R '$(T)') || exit 1; done

#: make check                layout, warnings as errors, likely mistakes
check: check-format check-warnings check-tidy
check-format:
	$(do) tools/setup.sh check && tools/build.sh default check-format
check-warnings:
	$(do) tools/setup.sh test && tools/build.sh werror all
check-tidy:
	$(do) tools/setup.sh tidy && tools/build.sh default check-tidy

#: make format               lay out the C and CUDA sources
format:
	$(do) tools/setup.sh check && tools/build.sh default format

#: make student              make student/ from reference/
student:
	$(do) tools/setup.sh student && tools/build.sh default student

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
	$(do) tools/setup.sh slides && tools/build.sh default plots && \
	slides/build.sh build/plots build/slides $(DECK)

#: make bench              on a machine with a GPU: references, CUB, Thrust, copy
#:   SUITE=full SUBMISSION=DIR OUT=FILE    docs/bench.md; CPU=1: lab 0's
bench:
	$(do) tools/setup.sh grade && tools/build.sh default programs && \
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
	$(do) [ ! -e build/build.ninja ] || cmake --build build --target clean
	$(do) rm -rf build/asan build/werror build/release build/docs build/cache

distclean:
	$(do) rm -rf build
