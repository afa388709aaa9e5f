# SPDX-License-Identifier: MIT
"""Times and durations, as policies and learning systems write them; seconds of the
epoch. A time without a zone is none, unless the policy says which zone is meant."""
import datetime
import re

from translate import _

DAY = 86400
UNITS = {"m": 60, "h": 3600, "d": DAY}
ISO = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.\d+)?"
                 r" ?(Z|UTC|[+-]\d\d:?\d\d)?")
# Moodle's long date in English: Tuesday, 5 November 2024, 11:59 PM
MOODLE = re.compile(r"(?:\w+, )?(\d{1,2}) (\w+) (\d{4}), (\d{1,2}):(\d\d)(?: ([AP])M)?")
MONTHS = "january february march april may june july august september october november " \
         "december".split()


class NoTime(ValueError):
    """Why a text is no time."""


def zone_of(text):
    """+01:00, or a name such as Europe/Berlin."""
    found = re.fullmatch(r"([+-])(\d\d):?(\d\d)", text)
    if text in ("Z", "UTC"):
        return datetime.timezone.utc
    if found:
        minutes = int(found[2]) * 60 + int(found[3])
        if minutes >= 24 * 60:
            raise NoTime(_("'{text}' is no zone", text=text))
        return datetime.timezone(datetime.timedelta(
            minutes=-minutes if found[1] == "-" else minutes))
    import zoneinfo
    try:
        return zoneinfo.ZoneInfo(text)
    except (OSError, ValueError, zoneinfo.ZoneInfoNotFoundError):
        raise NoTime(_("'{text}' is no zone that this machine knows; write +01:00",
                       text=text)) from None


def local(text):
    """A datetime, without a zone where the text has none."""
    if found := ISO.fullmatch(text):
        day, time, seconds, zone = found.groups()
        at = datetime.datetime.fromisoformat(f"{day}T{time}{seconds or ''}")
        return at.replace(tzinfo=zone_of(zone)) if zone else at
    found = MOODLE.fullmatch(text)
    if not found or found[2].lower() not in MONTHS:
        raise NoTime(_("'{text}' is no time such as 2026-11-30T23:59+01:00", text=text[:60]))
    hour = int(found[4])
    if found[6]:
        if not 1 <= hour <= 12:
            raise NoTime(_("'{text}' is no time", text=text[:60]))
        hour = hour % 12 + 12 * (found[6] == "P")
    return datetime.datetime(int(found[3]), MONTHS.index(found[2].lower()) + 1, int(found[1]),
                             hour, int(found[5]))


def seconds(text, zone=None):
    """NoTime: it is none, or has no zone and none is meant."""
    try:
        at = local(text.strip())
        if at.tzinfo is None:
            if zone is None:
                raise NoTime(_("'{text}' has no zone; give one in the policy: [course] zone = "
                               "+01:00", text=text[:60]))
            at = at.replace(tzinfo=zone)
        if at.year < 1970:
            raise NoTime(_("'{text}' is long ago", text=text[:60]))
        return int(at.timestamp())
    except (ValueError, OverflowError, OSError) as why:
        raise NoTime(str(why)) from None


def duration(text):
    """15m, 24h, 7d in seconds."""
    found = re.fullmatch(r"(\d{1,6})([mhd])", text)
    if not found or not 0 < int(found[1]) <= 100000:
        raise NoTime(_("'{text}' is not a time such as 15m, 24h, 7d", text=text[:60]))
    return int(found[1]) * UNITS[found[2]]


def shown(at):
    return datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime(
        "%Y-%m-%dT%H:%M:%SZ")


def long(late):
    """1d 3h 10m; begun minutes count."""
    minutes = -(-late // 60)
    parts = [(minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "m")]
    return " ".join(f"{n}{unit}" for n, unit in parts if n) or "0m"
