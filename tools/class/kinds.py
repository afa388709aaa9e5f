# SPDX-License-Identifier: MIT
"""What a file is that is no source: by its first bytes, or by the ending of its name.
Nothing is parsed."""
import re

from translate import N_

PICTURE = N_("a picture")
ENDINGS = {
    "docx": N_("a Word document"), "doc": N_("a Word document"),
    "odt": N_("an OpenDocument text"), "rtf": N_("a text with formats (RTF)"),
    "pages": N_("a document of Pages"), "pdf": N_("a PDF"),
    "xlsx": N_("an Excel table"), "xls": N_("an Excel table"),
    "ods": N_("an OpenDocument table"), "pptx": N_("slides of PowerPoint"),
    "ppt": N_("slides of PowerPoint"), "odp": N_("OpenDocument slides"),
    "ipynb": N_("a notebook"), "png": PICTURE, "jpg": PICTURE, "jpeg": PICTURE,
    "heic": PICTURE}
BEGINS = [
    (b"%PDF-", N_("a PDF")), (b"{\\rtf", N_("a text with formats (RTF)")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", N_("an Office document (doc, xls or ppt)")),
    (b"\x1f\x8b", N_("an archive (gzip)")), (b"\xfd7zXZ\0", N_("an archive (xz)")),
    (b"BZh", N_("an archive (bzip2)")), (b"7z\xbc\xaf\x27\x1c", N_("an archive (7-Zip)")),
    (b"Rar!", N_("an archive (RAR)")), (b"\x28\xb5\x2f\xfd", N_("an archive (zstd)")),
    (b"\x7fELF", N_("a compiled program")), (b"\xcf\xfa\xed\xfe", N_("a compiled program")),
    (b"MZ\x90\0", N_("a compiled program")), (b"\x89PNG", PICTURE), (b"\xff\xd8\xff", PICTURE),
    (b"GIF8", PICTURE)]
# Names that a zip has which is a document.
WITHIN = [(b"word/document.xml", ENDINGS["docx"]), (b"xl/workbook.xml", ENDINGS["xlsx"]),
          (b"ppt/presentation.xml", ENDINGS["pptx"]), (b"opendocument.text", ENDINGS["odt"]),
          (b"opendocument.spreadsheet", ENDINGS["ods"]),
          (b"opendocument.presentation", ENDINGS["odp"]), (b"Index/Document.iwa", ENDINGS["pages"])]
PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,100}<(?:!doctype html|html)\b", re.I)


def of_name(name):
    """By its ending; "": it is no document's."""
    return ENDINGS.get(name.rpartition(".")[2].lower(), "") if "." in name else ""


def of_bytes(data):
    """What the bytes are of a file that should be a source; "": they may be one."""
    if data.startswith(b"PK\3\4"):
        return next((what for name, what in WITHIN if name in data), N_("an archive (zip)"))
    if PAGE.match(data):
        return N_("a web page")
    if data.lstrip().startswith(b"{") and b'"nbformat"' in data and b'"cells"' in data:
        return ENDINGS["ipynb"]
    return next((what for begin, what in BEGINS if data.startswith(begin)), "")
