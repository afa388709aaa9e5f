#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The inputs of the fuzz targets: corpus/TARGET.tar, beside fuzz_TARGET.c, holds those
of one target. Also of the targets in tests/fuzz of a project that has vgpu/ at its top.

    corpus.py list                   targets, inputs, bytes
    corpus.py unpack TARGET FOLDER   writes its inputs into FOLDER
    corpus.py add TARGET PATH...     adds files, and the files of folders
    corpus.py remove TARGET NAME...  takes inputs out
    corpus.py pack TARGET FOLDER     FOLDER's files, in place of all there were
    corpus.py check                  each archive is as this program writes it

An input that is added is named by the SHA-1 of its bytes, as libFuzzer names it, so
no input is there twice. The same inputs make the same archive, byte for byte: names
are sorted, times and owners are 0. The archives are not compressed, because git
compresses them, and stores only the difference where an input is added.

Exit status: 0 done; 1 check found something; 2 not done, and the message says why.
"""
import hashlib
import io
import pathlib
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = HERE, HERE.parents[2] / "tests/fuzz"


class Trouble(Exception):
    """A sentence for who called."""


def archive_of(target):
    for folder in FOLDERS:
        if (folder / f"fuzz_{target}.c").exists():
            return folder / f"corpus/{target}.tar"
    raise Trouble(f"no fuzz_{target}.c; there are inputs of {', '.join(targets())}")


def targets():
    return sorted(path.stem for folder in FOLDERS for path in folder.glob("corpus/*.tar"))


def read(target):
    """The inputs of a target: names and bytes."""
    path = archive_of(target)
    if not path.exists():
        raise Trouble(f"{path}: no such file")
    inputs = {}
    with tarfile.open(path, "r:") as tar:
        for member in tar:
            if not member.isreg() or "/" in member.name or member.name.startswith("."):
                raise Trouble(f"{path.name}: {member.name!r} is no plain file")
            if member.name in inputs:
                raise Trouble(f"{path.name}: {member.name!r} is there twice")
            inputs[member.name] = tar.extractfile(member).read()
    return inputs


def packed(inputs):
    """The archive of these inputs, as bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(inputs):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(inputs[name]), 0o644
            tar.addfile(member, io.BytesIO(inputs[name]))
    return out.getvalue()


def write(target, inputs):
    part = archive_of(target).with_suffix(".part")
    part.write_bytes(packed(inputs))
    part.replace(archive_of(target))
    print(f"{target}: {len(inputs)} inputs")


def files_of(paths):
    for path in map(pathlib.Path, paths):
        if path.is_dir():
            yield from sorted(p for p in path.iterdir() if p.is_file())
        elif path.is_file():
            yield path
        else:
            raise Trouble(f"{path}: no such file or folder")


def list_all():
    for target in targets():
        inputs = read(target)
        print(f"{target:12} {len(inputs):5} inputs {sum(map(len, inputs.values())):8} bytes")


def unpack(target, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in read(target).items():
        (folder / name).write_bytes(data)


def add(target, *paths):
    inputs = read(target) if archive_of(target).exists() else {}
    known = {hashlib.sha1(data).digest() for data in inputs.values()}
    for path in files_of(paths):
        data = path.read_bytes()
        digest = hashlib.sha1(data)
        if digest.digest() not in known:
            known.add(digest.digest())
            inputs[digest.hexdigest()] = data
    write(target, inputs)


def remove(target, *names):
    inputs = read(target)
    for name in names:
        if inputs.pop(name, None) is None:
            raise Trouble(f"{target} has no input {name}")
    write(target, inputs)


def pack(target, folder):
    write(target, {path.name: path.read_bytes() for path in files_of([folder])})


def check():
    bad = 0
    for target in targets():
        inputs = read(target)
        if not inputs:
            print(f"{target}: no inputs")
        elif packed(inputs) != archive_of(target).read_bytes():
            print(f"{target}: not the bytes that corpus.py writes: add nothing to it with "
                  f"other programs; 'corpus.py add {target}' writes it anew")
        else:
            continue
        bad += 1
    print(f"{len(targets())} archives, {bad} wrong")
    return 1 if bad or not targets() else 0


COMMANDS = {"list": (list_all, 0, 0), "unpack": (unpack, 2, 2), "add": (add, 1, None),
            "remove": (remove, 2, None), "pack": (pack, 2, 2), "check": (check, 0, 0)}


def main(words):
    function, least, most = COMMANDS.get(words[0] if words else "", (None, 0, 0))
    if function is None or len(words) - 1 < least or most is not None and len(words) - 1 > most:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return function(*words[1:]) or 0
    except (Trouble, OSError, tarfile.TarError) as trouble:
        print(f"corpus: {trouble}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
