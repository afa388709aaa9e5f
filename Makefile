# SPDX-License-Identifier: MIT
#
# Forwards to tools/ and to CMake's presets; no work is done here. `make help`
# says what there is. A Makefile of another folder includes this one, with the
# way here in `up` (../), and makes the same.

.DEFAULT_GOAL := help
.PHONY: help grade watch demo progress test test-all test-seeds check check-format check-warnings check-tidy
.PHONY: format student release dist wheel notebooks artefacts kit install docs plots slides film web site ci tag bench bench-vgpu clean distclean
SHELL := /bin/sh
# Tests at a time.
J ?= 2

# GNU make makes a 2 of every status that a recipe fails with, except in question
# mode (-q): there a 1 stays a 1. Lines that begin with + are run in that mode,
# too. So that `make grade` exits as `./scanlab grade` does, it runs in it.
dry_run := $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
ifeq (,$(dry_run))
do := +@unset MAKEFLAGS MAKELEVEL MFLAGS;$(if $(up), cd $(up) || exit 2;)
ifneq (,$(filter grade,$(MAKECMDGOALS)))
MAKEFLAGS += -q
endif
endif

# What users give is text: make expands nothing in it (also not for the
# environment of recipes), and the shell takes it as one word, whatever it holds.
# A newline would end the recipe's line.
given := $(if $(filter release kit dist wheel notebooks site,$(MAKECMDGOALS)),LABS COURSE,LAB) SUBMISSION SERVE SEED CHECK DEVICE FAST LARGE FORMAT N OUT V T J SEEDS PART DATA DECK SUITE CPU WERROR \
	PREFIX DESTDIR KIT IMAGE WITHOUT
unexport $(given)
# Other programs set these in the environment, and mean something else.
$(foreach v,CPU DATA IMAGE N OUT T V,$(if $(filter environment,$(origin $v)),$(eval undefine $v)))
define newline


endef
$(foreach v,$(given),$(if $(findstring $(newline),$(value $v)),$(error $v has a line break in it)))
quoted = '$(subst ','\'',$(1))'
as_quoted = $(call quoted,$(value $(1)))
each_quoted = $(foreach w,$(value $(1)),$(call quoted,$w))
# option(--seed,SEED): both, where it is given
option = $(if $(value $(2)),$(1) $(call as_quoted,$(2)))

werror = $(if $(value WERROR),-DVGPU_WERROR=ON)
# The script, for a recipe: it ends with make, and warnings are errors for it, too.
scanlab = SCANLAB_WITH=$$PPID SCANLAB_BUILD_OPTIONS=$(werror) $(here) ./scanlab
jobs = $(call as_quoted,J)
grade_options = $(call each_quoted,LAB) $(call option,--submission,SUBMISSION) \
	$(call option,--seed,SEED) $(call option,--check,CHECK) \
	$(call option,--device,DEVICE) $(if $(value FAST),--fast) $(if $(value LARGE),--large) $(call option,--format,FORMAT) \
	$(call option,-n,N) $(call option,-o,OUT) $(if $(value V),-v) \
	--report html=$(up)build/report.html

# A name that is none of ours would be passed over in silence.
goals := help grade watch demo progress test test-all test-seeds check check-format check-warnings check-tidy format \
	student release dist wheel notebooks artefacts kit install docs plots slides film web site ci tag bench bench-vgpu clean distclean
set := $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $v))),$v))
meant = $(shell $(up)tools/meant.sh $(call quoted,$(1)) $(2))
asks = $(if $(1),; did you mean $(1)?)
is_lab = $(or $(wildcard $(up)labs/*-$(1)),$(wildcard $(up)labs/$(1)),$(wildcard $(up)labs/0$(1)-*))
$(foreach g,$(filter-out $(goals),$(MAKECMDGOALS)),$(if $(call is_lab,$g), \
	$(error a lab is named so: make grade LAB=$g), \
	$(error there is no goal '$g'$(call asks,$(call meant,$g,$(goals))))))
$(foreach v,$(filter-out $(given) SCANLAB_% NO_COLOR CUDA_HOME up,$(set)), \
	$(error there is no variable '$v'$(call asks,$(call meant,$v,$(given)))))

help:
	$(do) sed -n 's/^#: //p' Makefile

#: ScanLab: parallel prefix scans on GPUs, graded without one.
#:
#: ./scanlab COMMAND ...     any command of the grader: sets up and builds what is
#:                           missing, then runs it; ./scanlab --help lists them
#:
#: make grade                grade student/; sets up and builds what is missing
#:   LAB="naive ..."         only these labs
#:   SUBMISSION=reference    another folder
#:   CHECK=ID N=SIZE SEED=X  one check; one size; the inputs of an earlier run
#:   DEVICE=auto|vgpu|gpu    where CUDA runs
#:   FAST=1                  with the checks that are timed on a real GPU
#:   LARGE=1                 with the largest sizes, up to 2^26
#:   FORMAT=json OUT=FILE    the grade as data
#:   V=1                     more about each check
#:                           (CPU, DATA, IMAGE, N, OUT, T and V do not count in the
#:                           environment: other programs mean something else)
#:                           build/report.html is the same for a browser
#:                           exit status: 0 full marks, 1 points missing, 2 error
# scanlab runs where make was called: paths that were given are of there.
here := $(if $(up),SCANLAB_FROM="$$OLDPWD")
# A folder that was given elsewhere, as seen from here.
graded = $(if $(value SUBMISSION),$(if $(up),$(if $(filter /%,$(firstword \
	$(value SUBMISSION))),,"$$OLDPWD"/))$(call as_quoted,SUBMISSION),student)
grade:
	$(do) status=0; $(scanlab) grade $(grade_options) || status=$$?; \
	[ $$status -le 1 ] || exit $$status; \
	[ ! -e build/report.html ] || echo "make grade: $(up)build/report.html shows it in a browser" >&2; \
	printf '%s\n' $(graded) >build/graded && exit $$status

#:
#: make watch                grade a lab again whenever it is saved; LAB, SUBMISSION
#:   SERVE=1                 with the report for a browser, which renews itself, at
#:                           an address of this machine; SERVE=8000: at this port
serve = $(if $(value SERVE),--serve$(if $(filter-out 1,$(value SERVE)),=$(call as_quoted,SERVE)))
watch:
	$(do) $(scanlab) watch $(call each_quoted,LAB) $(call option,--submission,SUBMISSION) \
	$(call option,--seed,SEED) $(serve)

#: make demo                 watch a lab 1 with a bug, here and in a browser; OUT=FOLDER:
#:                           in this new folder
demo:
	$(do) $(here) demo="$$PWD/tools/demo.sh" && $(if $(up),cd "$$OLDPWD" &&) "$$demo" $(call as_quoted,OUT)

#: make progress             how far up the ladder, as last graded
progress:
	$(do) $(scanlab) progress

#:
#: make test                 the tests of ScanLab itself; T=REGEX: only these (of
#:                           those labelled nightly: make test-all T=REGEX)
#:                           exit status: 0 all passed; 2 some failed, or there
#:                           are none (a copy without tests/)
test:
	$(do) tools/setup.sh test && \
	tools/build.sh $(werror) default all \
	tools/test.sh build -j $(jobs) $(call option,-R,T) -LE '^nightly$$'

#: make test-all             whole labs, all seeds, nightly tests too (long)
#:   J=16 PART=1/3           so many at a time; every third of them, from the first
test-all:
	$(do) tools/setup.sh test && \
	tools/build.sh $(werror) default all && \
	SCANLAB_TEST=all$${SCANLAB_TEST:+,$$SCANLAB_TEST} tools/build.sh $(werror) default nightly \
	tools/test.sh build $(call option,--part,PART) -j $(jobs) $(call option,-R,T)

#: make test-seeds           right submissions under SEEDS=200 (or 101-200) schedules (long)
# fast.stream-unguarded is wrong on purpose.
right = '[.]honest-[^.]*$$|^control[.].*[.]seeds$$|^fast[.](applications|lookback|sam|stream|applications-pipeline)$$'
test-seeds:
	$(do) tools/setup.sh test && \
	SCANLAB_TEST=seeds=$(if $(value SEEDS),$(call as_quoted,SEEDS),200) tools/build.sh $(werror) default all \
	tools/test.sh build -j $(jobs) -L '^grade$$' -R $(if $(value T),$(call as_quoted,T),$(right))

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

#: make release OUT=FOLDER   the hand-out for students: no solutions, searched for
#:                           them, graded once, one commit (docs/course.md)
#:   LABS="naive ..."        only these labs
#:   COURSE=FOLDER           with what it lays over the labs (courses/german, or
#:                           yours), but for what students are not to see
release:
	$(do) [ -n $(call as_quoted,OUT) ] || { echo 'make release: where to? OUT=FOLDER' >&2; exit 2; } && \
	tools/setup.sh release && $(here) tools/build.sh default programs \
	tools/release.py $(call as_quoted,OUT) $(call each_quoted,LABS) $(call option,--course,COURSE)

#: make kit KIT=NAME OUT=FILE   what Gradescope, Autolab, PrairieLearn or GitHub is
#:                           given: gradescope, autolab, prairielearn, nbgrader, github
#:   LABS="naive ..." COURSE=FOLDER    these labs; what is laid over them
kit:
	$(do) [ -n $(call as_quoted,KIT) ] && [ -n $(call as_quoted,OUT) ] || \
	{ echo 'make kit: which, and where to? KIT=gradescope OUT=FILE' >&2; exit 2; } && \
	tools/setup.sh release && kit="$$PWD/tools/kit.py" && $(if $(up),cd "$$OLDPWD" &&) \
	COURSE=$(call as_quoted,COURSE) IMAGE=$(call as_quoted,IMAGE) "$$kit" \
	$(call as_quoted,KIT) $(call as_quoted,OUT) $(call each_quoted,LABS)

#: make install              what grades elsewhere: programs, labs, the compiler if it
#:                           was fetched (docs/running-a-course.md)
#:   PREFIX=FOLDER           where it is to be (/usr/local); it can be moved
#:   DESTDIR=FOLDER          put it below this folder, for packages
install:
	$(do) umask 022 && tools/setup.sh grade && DESTDIR=$(call as_quoted,DESTDIR) $(here) tools/build.sh default programs \
	cmake --install "$$PWD/build" --strip --prefix $(if $(value PREFIX),$(call as_quoted,PREFIX),/usr/local)

#: make dist                 an archive for students who do not build: programs, labs,
#:                           student/ for machines like this one, build/dist/*.tar.gz
#:   LABS="naive ..."        only these labs
dist:
	$(do) umask 022 && tools/setup.sh dist && tools/build.sh dist programs \
	tools/dist.py build/dist build/dist $(call each_quoted,LABS)

#: make wheel                what pip installs, for x86-64 and AArch64: build/wheels
#:                           (wheel/README.md); fetches the cross compiler, once
#: make notebooks            the handouts for Jupyter, build/notebooks
#:   LABS="naive ..." OUT=FOLDER    only these labs; elsewhere
wheel:
	$(do) umask 022 && tools/setup.sh wheel && wheel="$$PWD/wheel/make.py" to="$$PWD/build/wheels" && \
	$(if $(up),cd "$$OLDPWD" &&) "$$wheel" $(if $(value OUT),$(call as_quoted,OUT),"$$to") $(call each_quoted,LABS)
notebooks:
	$(do) tools/setup.sh wheel && make="$$PWD/wheel/notebooks.py" to="$$PWD/build/notebooks" && \
	$(if $(up),cd "$$OLDPWD" &&) "$$make" $(if $(value OUT),$(call as_quoted,OUT),"$$to") $(call each_quoted,LABS)

#: make artefacts OUT=FOLDER all that a release hands out, with notes and checksums
#:                           (docs/versions.md): wheels, dist, hand-out, site, ...
#:   WITHOUT="site dist"     but these
artefacts:
	$(do) [ -n $(call as_quoted,OUT) ] || { echo 'make artefacts: where to? OUT=FOLDER' >&2; exit 2; } && \
	umask 022 && for goal in wheel release $(if $(filter dist,$(value WITHOUT)),,dist) $(if $(filter site,$(value WITHOUT)),,site); do \
	tools/setup.sh $$goal || exit; done && tools/build.sh default programs && \
	$(if $(filter dist,$(value WITHOUT)),,tools/build.sh dist programs &&) \
	$(if $(filter site,$(value WITHOUT)),,tools/build.sh wasm web &&) \
	artefacts="$$PWD/tools/artefacts.py" && SCANLAB="$$PWD/build/bin/scanlab" && export SCANLAB && \
	$(if $(up),cd "$$OLDPWD" &&) "$$artefacts" $(call as_quoted,OUT) \
	$(if $(value WITHOUT),--without $(call each_quoted,WITHOUT))

#: make docs                 the documentation, build/docs/html/index.html
docs:
	$(do) tools/setup.sh docs && tools/build.sh default docs

#: make plots                draw the figures, build/plots (SVG, PNG, PDF); after
#:                           make grade with the counts of what was graded
#:   DATA=FOLDER|FILE        from these CSV files, or from this one of timings,
#:                           instead of plots/data
plots:
	$(do) tools/setup.sh plots && plots/make.sh build $(call as_quoted,DATA)

#: make slides               the decks and their notes, build/slides/*.pdf
#:   DECK=NN-name            only this deck
slides:
	$(do) tools/setup.sh slides && slides/draw.sh build/plots $(call each_quoted,DECK) && \
	slides/build.sh build/plots build/slides $(call each_quoted,DECK)

#: make film                 the picture that moves on README: docs/workbench.webp, of a
#:                           real make demo
film:
	$(do) tools/setup.sh film && tools/build.sh default programs tools/film.py build/bin/scanlab docs/workbench.webp

#: make web                  the virtual GPU as a page, build/web/index.html; sets up
#:                           emscripten, which is large (docs/web.md)
web:
	$(do) tools/setup.sh web && tools/build.sh wasm web && \
	echo "make web: build/web/index.html opens in a browser, from where it lies" >&2

#: make site                 the handouts as pages whose pictures run, build/site/index.html;
#:                           sets up what make web does (docs/web.md)
#:   LABS="naive ..." COURSE=FOLDER    these labs; what is laid over them
site:
	$(do) tools/setup.sh site && tools/build.sh wasm web && site="$$PWD/web/site/make.py" && \
	to="$$PWD/build/site" built="$$PWD/build/wasm/web" nvcc="$$(cat build/nvcc-path)" && \
	$(if $(value COURSE),$(here) tools/build.sh default programs && SCANLAB="$$PWD/build/bin/scanlab" && export SCANLAB &&) \
	$(if $(up),cd "$$OLDPWD" &&) "$$site" $(if $(value OUT),$(call as_quoted,OUT),"$$to") \
	--built "$$built" --nvcc "$$nvcc" $(call option,--course,COURSE) $(call each_quoted,LABS)

#: make bench              on a machine with a GPU: references, CUB, Thrust, copy
#:   SUITE=full SUBMISSION=DIR OUT=FILE    timing/docs/bench.md; CPU=1: lab 0's
bench:
	$(do) $(scanlab) bench $(call each_quoted,LAB) $(call option,--suite,SUITE) \
	$(if $(value CPU),--cpu) $(call option,--submission,SUBMISSION) \
	$(call option,-n,N) $(call option,-o,OUT)

#: make bench-vgpu         how fast the virtual GPU is, beside its peers
bench-vgpu:
	$(do) tools/setup.sh grade && { tools/setup.sh bench || \
	echo "bench-vgpu: going on without Oclgrind" >&2; } && \
	tools/build.sh default bench-vgpu

#: make ci                   what continuous integration runs
ci:
	$(do) .ci/run

#: make tag                  the tag of the version that CMakeLists.txt and CHANGELOG.md
#:                           name, where all is committed
tag:
	$(do) tools/tag.sh

#: make clean                remove what was built
#: make distclean            remove build/ with the fetched CUDA compiler, too
clean:
	$(do) [ ! -e build/build.ninja ] || tools/build.sh default clean
	$(do) rm -rf build/asan build/werror build/release build/dist build/docs build/cache build/wasm build/web build/site

distclean:
	$(do) rm -rf build
