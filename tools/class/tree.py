# SPDX-License-Identifier: MIT
"""Reads a folder that strangers may fill, and change while it is read.

How to use it:

    with tree.Folder.open(path) as top:          # a path that the instructor gave
        for entry in tree.walk(top, tree.Bounds()):
            if entry.why:
                tell(entry.parts, entry.why)     # a sentence, for people
            elif wanted(entry.parts):
                data = entry.read(MOST)          # at once: its folder closes later

    tree.read_all(path, wanted, most, in_all)    # the same for a few small files

What holds:
* Only the first folder is opened by a path. Each entry below it is opened once, by
  its name and its folder's descriptor: who swaps folders meanwhile changes names,
  and not what is read.
* No link is followed, also not in the middle of a path, and no mount is crossed:
  openat2 refuses both before anything of it is asked (a FUSE might never answer).
  Where a kernel or a filter has no openat2, O_NOFOLLOW does it, and the number of
  the mount, once it is open.
* Only regular files are opened, without waiting. A file of another owner than its
  folder's is refused if it has a second name: it may be a hard link to what only
  the grader may read.
* Names, entries and depth are bounded (Bounds), and the order is of names alone: the
  same tree gives the same entries, on each file system.
* What cannot be read is an entry with a sentence, or Unreadable: never an error of
  the program. What the grader itself lacks (GRADERS, as EMFILE) stays an OSError."""
import contextlib
import ctypes
import dataclasses
import errno
import os
import stat

from translate import N_, _

# Not for want of rights or bytes, but of something that the grader ran out of.
GRADERS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS)
FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
OPENAT2, NO_XDEV, NO_MAGICLINKS, NO_SYMLINKS, BENEATH = 437, 1, 2, 4, 8
LINK, OTHER = N_("a link, which is not followed"), N_("not a file")
NO_FOLDER = N_("no folder any more: a link, or a file")
MOUNTED = N_("another file system is mounted there, which is not read")
SECOND_NAME = N_("a second name of a file that belongs to somebody else")
SAID = {errno.ELOOP: LINK, errno.EXDEV: MOUNTED, errno.ENOENT: N_("gone before it was read"),
        errno.ENOTDIR: NO_FOLDER, errno.ENXIO: OTHER, errno.ENODEV: OTHER}


class Unreadable(Exception):
    """Why something cannot be read, as a sentence's end: NAME: WHY."""


class TooMany(Unreadable):
    """It could be read; nobody wants to."""


class OpenHow(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("flags", "mode", "resolve")]


LIBC = ctypes.CDLL(None, use_errno=True)


def open_below(folder, name, flags):
    """A descriptor of what has this one name in a folder."""
    if "/" in name or name in ("", ".", ".."):
        raise OSError(errno.EINVAL, "not one name")
    how = OpenHow(flags, 0, NO_XDEV | NO_MAGICLINKS | NO_SYMLINKS | BENEATH)
    for _ in range(100):
        fd = LIBC.syscall(OPENAT2, folder, os.fsencode(name), ctypes.byref(how),
                          ctypes.c_size_t(ctypes.sizeof(how)))
        why = 0 if fd >= 0 else ctypes.get_errno()
        if why not in (errno.EINTR, errno.EAGAIN):  # EAGAIN: names moved meanwhile
            break
    if why in (errno.ENOSYS, errno.EPERM, errno.EAGAIN):
        return open_old(folder, name, flags)
    if why:
        raise OSError(why, os.strerror(why))
    return fd


def mount_of(fd):
    """Which mount a descriptor is of; without /proc the device, which files of an
    overlay may have of their own."""
    try:
        with open(f"/proc/self/fdinfo/{fd}", encoding="ascii") as file:
            return next(row for row in file if row.startswith("mnt_id:"))
    except (FileNotFoundError, StopIteration):
        return os.fstat(fd).st_dev


def open_old(folder, name, flags):
    """Without openat2. It is opened before it is known to be another mount's."""
    fd = os.open(name, flags, dir_fd=folder)
    try:
        if mount_of(fd) == mount_of(folder):
            return fd
        raise OSError(errno.EXDEV, MOUNTED)
    except BaseException:
        os.close(fd)
        raise


@contextlib.contextmanager
def reading():
    """Errors of what is read become Unreadable; the grader's own stay."""
    try:
        yield
    except OSError as why:
        if why.errno in GRADERS:
            raise
        raise Unreadable(SAID.get(why.errno, why.strerror or str(why))) from None


class Folder:
    def __init__(self, fd, device=None):
        """fd becomes ours. device: of the tree's first folder."""
        self.fd, about = fd, os.fstat(fd)
        self.device, self.owner = about.st_dev if device is None else device, about.st_uid
        self.here = about.st_dev

    @classmethod
    def open(cls, path):
        """The first one, through links if the path has any: the path is the
        instructor's."""
        return cls(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1

    def names(self, most):
        """[(name, kind)] in the order of names; kind: file, folder, link or other."""
        found = []
        with reading(), os.scandir(self.fd) as listed:
            for entry in listed:
                if len(found) == most:
                    raise TooMany(_("too many names in one folder: not looked at"))
                found.append((entry.name, kind_of(entry)))
        return sorted(found)

    def folder(self, name):
        with reading():
            below = Folder(open_below(self.fd, name, FLAGS | os.O_DIRECTORY), self.device)
        if below.here == self.device:
            return below
        below.close()
        raise Unreadable(MOUNTED)

    def file(self, name):
        """A descriptor of a regular file, to read from."""
        with reading():
            fd = open_below(self.fd, name, FLAGS)
        about = os.fstat(fd)
        why = OTHER if not stat.S_ISREG(about.st_mode) else \
            SECOND_NAME if about.st_nlink > 1 and about.st_uid != self.owner else None
        if why:
            os.close(fd)
            raise Unreadable(why)
        return fd

    def read(self, name, most):
        """Its bytes, at most so many and one more: however large it becomes."""
        fd, parts, left = self.file(name), [], most + 1
        try:
            with reading():
                while left and (part := os.read(fd, min(left, 1 << 20))):
                    parts.append(part)
                    left -= len(part)
        finally:
            os.close(fd)
        return b"".join(parts)


def kind_of(entry):
    """Of os.scandir's, as it was listed."""
    try:
        return "link" if entry.is_symlink() else \
            "folder" if entry.is_dir(follow_symlinks=False) else \
            "file" if entry.is_file(follow_symlinks=False) else "other"
    except OSError:
        return "other"


@dataclasses.dataclass
class Bounds:
    """How much is left of each; of several trees together if they share it."""
    names: int = 200000   # that are listed
    entries: int = 20000  # that are handed out
    deep: int = 16        # folders


@dataclasses.dataclass(eq=False)
class Entry:
    parts: list         # its names, from the first folder on
    kind: str           # file, link, other; trouble: a folder that cannot be read;
                        # bound: more than is looked at; folder: one that is left out
    folder: Folder      # where it lies
    why: str = ""       # of all but files
    called: str = ""    # there

    def open(self):
        """A descriptor, to be closed."""
        return self.folder.file(self.called)

    def read(self, most):
        return self.folder.read(self.called, most)


def walk(top, bounds, skip=lambda parts, kind: False, left_out=lambda names: "",
         first=lambda name: False):
    """The entries below a folder: of each folder its files, then its folders. A
    folder's descriptor stays open until its last entry has been handed out.
    skip(parts, kind): true for an entry that is neither yielded nor told. left_out(names of
    a folder's entries): why the folder is not looked into, or ""; then the folder itself
    is yielded, with that reason. first(name): true for entries that are yielded before
    their neighbours, so that bounds on the number of entries do not cut them off."""
    yield from walk_below(top, [], bounds, skip, left_out, first)


def walk_below(here, parts, bounds, *rules):
    skip, left_out, first = rules
    try:
        names = here.names(bounds.names)
    except Unreadable as why:
        yield Entry(parts, "bound" if isinstance(why, TooMany) else "trouble", here,
                    str(why))
        return
    bounds.names -= len(names)
    if why := parts and left_out({name for name, _ in names}):
        yield Entry(parts, "folder", here, why)
        return
    names = [(name, kind) for name, kind in names if not skip(parts + [name], kind)]
    for name, kind in sorted(names, key=lambda one: (
            one[1] == "folder", not first(one[0]))):
        bounds.entries -= 1
        if bounds.entries < 0:
            if bounds.entries == -1:  # told once
                yield Entry(parts, "bound", here, _("more files than are looked at"))
            return
        if kind != "folder":
            yield Entry(parts + [name], kind, here,
                        {"link": LINK, "other": OTHER}.get(kind, ""), name)
        elif len(parts) >= bounds.deep:
            yield Entry(parts + [name], "bound", here,
                        _("more than {n} folders deep", n=bounds.deep))
        else:
            yield from walk_folder(here, parts + [name], bounds, *rules)


def walk_folder(here, parts, bounds, *rules):
    try:
        below = here.folder(parts[-1])
    except Unreadable as why:
        yield Entry(parts, "trouble", here, str(why))
        return
    with below:
        yield from walk_below(below, parts, bounds, *rules)


def read_all(path, wanted, most, in_all):
    """({path below it: bytes}, {path: why not}) of the files below a folder that
    wanted(parts) wants: of each at most so many bytes, and of all together."""
    found, not_read = {}, {}
    with Folder.open(path) as top:
        for entry in walk(top, Bounds()):
            name, why = "/".join(entry.parts), entry.why
            if not why and wanted(entry.parts):
                try:
                    data = entry.read(min(most, in_all))
                    why = _("larger than {n} bytes", n=most) if len(data) > most else \
                        _("too much with what was read before") if len(data) > in_all else ""
                except Unreadable as trouble:
                    why = str(trouble)
                if not why:
                    found[name], in_all = data, in_all - len(data)
            if why:
                not_read[name] = why
    return found, not_read
