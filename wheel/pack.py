# SPDX-License-Identifier: MIT
"""The file format of wheels, written so that the same files are the same bytes:
sorted names, one date, no owner. RECORD is last, as the format wants it.
"""
import base64
import hashlib
import time
import zipfile

PROGRAM, FILE = 0o755, 0o644


def hash_of(data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "sha256=" + digest.rstrip(b"=").decode()


def metadata(fields, text):
    """`fields`: (name, value) pairs. `text`: the description, in Markdown."""
    lines = [f"{name}: {value}" for name, value in fields]
    return ("\n".join(lines) + "\n\n" + text).encode()


def wheel(path, files, dist_info, epoch):
    """`files`: {name: (bytes, mode)}; `dist_info` the name of their folder of
    metadata, in which RECORD is made."""
    names = sorted(files, key=lambda name: (name.startswith(dist_info), name))
    record = "".join(f'{name},{hash_of(files[name][0])},{len(files[name][0])}\n'
                     for name in names) + f"{dist_info}/RECORD,,\n"
    # A zip file knows no time before 1980, and only even seconds.
    date = time.gmtime(max(epoch, 315532800))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name in [*names, f"{dist_info}/RECORD"]:
            data, mode = files.get(name, (record.encode(), FILE))
            item = zipfile.ZipInfo(name, date)
            item.external_attr = (0o100000 | mode) << 16
            item.create_system = 3 # Unix, whose modes count
            item.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(item, data)
    return path
