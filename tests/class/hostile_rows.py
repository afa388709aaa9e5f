# SPDX-License-Identifier: MIT
"""Rows that want to change others' rows, or to end a class: each function of ROWS puts
one into a folder (where), with names of its own (tag), by chance (a random.Random).
What it is called in DIR is part of the attack."""
import gzip
import hashlib
import io
import os
import socket
import struct
import tarfile
import zipfile

from classroom import put, tarred, zipped

SOURCE = b"int x;\n"
FULL = "No space left on device"
LMS = ("Ann Lee_111_assignsubmission_file_", "annlee_1001_5001_naive.cu",
       "ann@cs.edu_3_naive.cu", "ann.zip")


def long_paths(where, tag, chance):
    """Fit into one of our folders, and not into another one."""
    name = chance.choice("xy") * chance.choice((40, 99, 150, 199, 200, 201, 240, 255))
    for most in range(200, 4000, chance.randrange(150, 400)):
        path = "/".join([name] * (most // len(name)))[:most].rstrip("/")
        files = {"naive.cu": SOURCE, path + "/a.h": b"", path + ".h": b""}
        zipped(files, where / f"{tag}{most}.zip")


def long_folders(where, tag, chance):
    """Deeper than a path may be long; of a folder itself."""
    here = os.open(where, os.O_RDONLY)
    names = [tag] + ["d" * chance.choice((20, 200))] * chance.randrange(10, 40)
    for name in names:
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
        os.close(os.open("naive.cu", os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(here)


def key_like(where, tag, chance):
    """Called as others are, but for what a key leaves out."""
    for name in "ANN", "Ann", " ann", "ann ", "\u24d0nn", "a\u030ann", "bo  b", "BO_B", "Bo B.":
        put(where / name / f"naive{tag}.cu", SOURCE)
    half = hashlib.sha256(b"7:Ann Lee").hexdigest()
    for name in "ann_lee", "ann_lee-" + half[:8], "ann_lee-" + half[:16], "x-" + half[:16]:
        put(where / name / "naive.cu", SOURCE)


def reserved(where, tag, chance):
    for name in ("con", "nul.txt", "-rf", "0", "trial", "work", "feedback", "gradebook.csv",
                 "lock", "x.part", "...", "~", "$HOME", "*", "%s%n"):
        put(where / name / "naive.cu", SOURCE)


def lms_inside(where, tag, chance):
    """In one's own folder what another layout has in DIR."""
    inside = where / chance.choice((tag, "assignment_5_export", "assignment_5_export.zip"))
    for name in LMS:
        put(inside / name if "." in name else inside / name / "naive.cu", SOURCE)
    put(inside / "submission_metadata.yml",
        "submission_1:\n  :submitters:\n  - :name: Ann\n    :sid: ann\n")
    put(inside / "submission_1/naive.cu", SOURCE)


def lms_beside(where, tag, chance):
    """A list among others' folders: also a damaged one."""
    put(where / "submission_metadata.yml", chance.choice((
        "a: [", "ann:\n  :submitters:\n  - :name: Eve\n    :sid: ann\n", "&a [*a]", "")))
    put(where / "submission_1" / "naive.cu", SOURCE)


def large_numbers(where, tag, chance):
    """SQLite has 63 bits, Python's int 4300 digits."""
    for digits in 18, 19, 20, 21, 30, 90:
        put(where / f"{tag}{digits}@x.edu_{'9' * digits}_naive.cu", SOURCE)
        put(where / f"{tag}_{'9' * digits}_{'9' * digits}_naive.cu", SOURCE)
    put(where / f"{tag}\u0661_\u0661_assignsubmission_file_naive.cu", SOURCE)


def words_of_a_disk(where, tag, chance):
    put(where / tag / "naive.cu", f'#error {FULL}\n#include "{FULL}.h"\n// {FULL}\n')
    put(where / f"{FULL} {tag}" / "naive.cu", f"faults naive.cu: error: {FULL}")
    put(where / f"{tag}2" / FULL / f"{FULL}.h", b"")
    put(where / f"{tag}3" / "naive.cu", "faults scanlab: cannot fork: Resource temporarily "
                                         "unavailable")


def same_faults(where, tag, chance):
    """First in the order of names, so that nobody has had a grade before."""
    for n in range(chance.randrange(5, 9)):
        put(where / f"0{tag}{n}" / "naive.cu", "faults no CUDA compiler: nvcc is not in PATH")


def odd_ends(where, tag, chance):
    for said in ("dies", "faults", "writes no grade", "writes half a grade",
                 "writes a deep grade", "does not compile"):
        put(where / f"{tag} {said}" / "naive.cu", said)
    put(where / f"{tag} no text" / "naive.cu", bytes(range(256)))


def header(**fields):
    """Of tar, with fields that no library writes."""
    info = tarfile.TarInfo("naive.cu")
    data = bytearray(info.tobuf(tarfile.USTAR_FORMAT))
    for at, value in {"size": (124, 12), "mtime": (136, 12), "uid": (108, 8)}.items():
        if at in fields:
            data[value[0]:value[0] + value[1]] = fields[at][:value[1]]
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    return bytes(data)


def number(value, length=12):
    return b"\x80" + value.to_bytes(length - 1, "big")


def tar_fields(where, tag, chance):
    for n, data in enumerate((
            header(size=number(1 << 44)), header(size=number((1 << 63) - 1)),
            header(size=b"\xff" * 12), header(size=b"-0000000001\0"),
            header(mtime=number(1 << 80)), header(mtime=b"\xff" * 12), header(uid=b"99999999"))):
        put(where / f"{tag}{n}.tar", data + chance.randbytes(512) + bytes(1024))
        put(where / f"{tag}{n}.tgz", gzip.compress(data + bytes(2048)))
    pax = tarfile.TarInfo("naive.cu")
    pax.pax_headers = {chance.choice(("size", "mtime", "path", "GNU.sparse.map")):
                       chance.choice(("-1", "1e999", "nan", str(1 << 70), "\udc80", "a" * 5000))}
    put(where / f"{tag}x.tar", pax.tobuf(tarfile.PAX_FORMAT) + bytes(1024))


def zip_fields(where, tag, chance):
    """An offset, a size, a date, a version, a method that cannot be."""
    whole = zipped({"naive.cu": SOURCE, "b/c.h": SOURCE})
    central, local = whole.index(b"PK\x01\x02"), whole.index(b"PK\x03\x04")
    changes = {42: b"\xfe\xff\xff\xff", 20: b"\xfe\xff\xff\xff", 24: b"\xff\xff\xff\xff",
               12: b"\xff\xff\xff\xff", 6: b"\xff\x7f", 10: b"\x63\x00", 28: b"\xff\xff",
               8: b"\x20\x00", 30: b"\xff\xff", 38: b"\x00\x00\xff\xff"}
    for n, (at, field) in enumerate(changes.items()):
        data = bytearray(whole)
        data[central + at:central + at + len(field)] = field
        put(where / f"{tag}{n}.zip", data)
    data = bytearray(whole)
    data[local + 26:local + 28] = b"\xff\xff"
    put(where / f"{tag}l.zip", data)
    end = whole.index(b"PK\x05\x06")
    put(where / f"{tag}z.zip", whole[:end] + struct.pack(
        "<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 2, 2, 1 << 40, 1 << 63) + struct.pack(
        "<4sLQL", b"PK\x06\x07", 0, chance.choice((end, 1 << 62)), 1) + whole[end:end + 8] +
        b"\xff" * 12 + b"\0\0")


def broken_archives(where, tag, chance):
    """Honest ones with bytes that are others, or cut."""
    whole = (zipped({"naive.cu": SOURCE, "a.h": os.urandom(500)}),
             tarred([("naive.cu", SOURCE), ("a.h", bytes(5000))]),
             tarred([("naive.cu", SOURCE)], "w:xz"), tarred([("naive.cu", SOURCE)], "w"))
    for n in range(8):
        data = bytearray(chance.choice(whole))
        for _ in range(chance.randrange(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        put(where / f"{tag}{n}.zip", data[:chance.choice((None, None, len(data) // 2))])


def bombs(where, tag, chance):
    zipped({"naive.cu": bytes(40 << 20)}, where / f"{tag}.zip")
    zipped({f"{n}.zip": b"" for n in range(20)}, where / f"{tag}many.zip")
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for n in range(6000):
            archive.writestr(f"{n}.h", b"")
    put(where / f"{tag}6000.zip", many.getvalue())


def many_headers(where, tag, chance):
    (where / tag / "a").mkdir(parents=True)
    for n in range(3000):
        put(where / tag / "a" / f"{n}.h", b"")
    put(where / tag / "zz" / "naive.cu", SOURCE)


def sparse(where, tag, chance):
    for name in f"{tag}/naive.cu", f"{tag}.zip", f"{tag}2/a.h":
        put(where / name, b"")
        os.truncate(where / name, 1 << chance.choice((32, 40)))


def no_files(where, tag, chance):
    """Links to what only the grader reads, to itself, to nothing; pipes, sockets."""
    here = where / tag
    here.mkdir()
    os.mkfifo(here / "naive.cu")
    os.symlink("/etc/shadow", here / "a.h")
    os.symlink(".", here / "loop")
    os.symlink("/", where / f"{tag}-link")
    os.symlink("nothing", where / f"{tag}.zip")
    os.mkfifo(where / f"{tag}2.zip")
    with socket.socket(socket.AF_UNIX) as server:
        at = os.getcwd()
        os.chdir(here)
        server.bind("s.h")
        os.chdir(at)


def nobody_may(where, tag, chance):
    """What cannot be read, if we are not root."""
    put(where / tag / "naive.cu", SOURCE)
    put(where / f"{tag}2/sub/naive.cu", SOURCE)
    put(where / f"{tag}3.zip", zipped({"naive.cu": SOURCE}))
    for name in f"{tag}/naive.cu", f"{tag}2/sub", f"{tag}3.zip":
        os.chmod(where / name, 0)


def odd_names(where, tag, chance):
    for name in (b"\xff\xfe", b"new\nline", b"\x1b[31m", "\u202e".encode(), b"=1+1",
                 b"\"a\",b", b"a" * 255, b"'; drop table student; --", b"</html><script>"):
        put(os.path.join(os.fsencode(where), name + tag.encode()
                         if len(name) < 200 else name, b"naive.cu"), name)
        put(os.path.join(os.fsencode(where), tag.encode(), name[:250] + b".h"), b"")


def same_id(where, tag, chance):
    zipped({"naive.cu": SOURCE}, where / "ann.zip")
    zipped({"naive.cu": SOURCE}, where / "ann.tgz")
    put(where / f"{tag}_111_assignsubmission_onlinetext_/o.html", b"")


def of_one_name(where, tag, chance):
    """A file and a folder; two that differ in case; a name within a name."""
    zipped({"naive.cu": SOURCE, "naive.cu/x.h": b"", "NAIVE.CU": b"y", "naive (1).cu": b"z",
            "naive-1.cu.txt": b"", "n" + "-" * 240 + ".cu": b""}, where / f"{tag}.zip")
    for name in "naive.cu/naive.cu", "Naive.cu", "naive - copy.cu", "naive.cu.txt":
        put(where / tag / name, name)


ROWS = [long_paths, long_folders, key_like, reserved, lms_inside, lms_beside, large_numbers,
        words_of_a_disk, same_faults, odd_ends, tar_fields, zip_fields, broken_archives,
        bombs, many_headers, sparse, no_files, nobody_may, odd_names, same_id, of_one_name]
