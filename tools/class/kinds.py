# SPDX-License-Identifier: MIT
"""What a file is that is no source: by its first bytes, or by the ending of its name.
Nothing is parsed."""
import re

ENDINGS = {
    "docx": "a Word document", "doc": "a Word document", "odt": "an OpenDocument text",
    "rtf": "a text with formats (RTF)", "pages": "a document of Pages", "pdf": "a PDF",
    "xlsx": "an Excel table", "xls": "an Excel table", "ods": "an OpenDocument table",
    "pptx": "slides of PowerPoint", "ppt": "slides of PowerPoint", "odp": "OpenDocument slides",
    "ipynb": "a notebook", "png": "a picture", "jpg": "a picture", "jpeg": "a picture",
    "heic": "a picture"}
PICTURE = "a picture"
BEGINS = [
    (b"%PDF-", "a PDF"), (b"{\\rtf", "a text with formats (RTF)"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document (doc, xls or ppt)"),
    (b"\x1f\x8b", "an archive (gzip)"), (b"\xfd7zXZ\0", "an archive (xz)"),
    (b"BZh", "an archive (bzip2)"), (b"7z\xbc\xaf\x27\x1c", "an archive (7-Zip)"),
    (b"Rar!", "an archive (RAR)"), (b"\x28\xb5\x2f\xfd", "an archive (zstd)"),
    (b"\x7fELF", "a compiled program"), (b"\xcf\xfa\xed\xfe", "a compiled program"),
    (b"MZ\x90\0", "a compiled program"), (b"\x89PNG", PICTURE), (b"\xff\xd8\xff", PICTURE),
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
        return next((what for name, what in WITHIN if name in data), "an archive (zip)")
    if PAGE.match(data):
        return "a web page"
    if data.lstrip().startswith(b"{") and b'"nbformat"' in data and b'"cells"' in data:
        return ENDINGS["ipynb"]
    return next((what for begin, what in BEGINS if data.startswith(begin)), "")
