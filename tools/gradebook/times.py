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
# Moodle's long date, where the month is a word: Tuesday, 5 November 2024, 11:59 PM; of
# the United States Tuesday, November 5, 2024, 11:59 PM; in German Dienstag, 5. November
# 2024, 23:59
CLOCK = r" (?P<year>\d{4}), (?P<hour>\d{1,2}):(?P<minute>\d\d)(?:\s(?P<half>[AP])M)?"
LONG = [re.compile(form + CLOCK) for form in (
    r"(?:\w+, )?(?P<day>\d{1,2})\.? (?P<month>\w+)", r"(?:\w+, )?(?P<month>\w+) (?P<day>\d{1,2}),")]
MONTHS = "january february march april may june july august september october november " \
         "december".split()
MONTH = {name: number % 12 + 1 for number, name in enumerate(
    MONTHS + "januar februar märz april mai juni juli august september oktober november "
    "dezember".split())}


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
    found = next(filter(None, (form.fullmatch(text) for form in LONG)), None)
    if not found or found["month"].lower() not in MONTH:
        raise NoTime(_("'{text}' is no time such as 2026-11-30T23:59+01:00", text=text[:60]))
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= 12:
            raise NoTime(_("'{text}' is no time", text=text[:60]))
        hour = hour % 12 + 12 * (found["half"] == "P")
    return datetime.datetime(int(found["year"]), MONTH[found["month"].lower()],
                             int(found["day"]), hour, int(found["minute"]))


def instant(at, last):
    """Seconds of a local time. In the night in which clocks go back, or forward, a time may
    be two instants: the first one, or the last."""
    return (max if last else min)(int(at.replace(fold=fold).timestamp()) for fold in (0, 1))


def seconds(text, zone=None, last=False):
    """NoTime: it is none, or has no zone and none is meant. last: of two instants the last
    one, as for a deadline; a time of handing in is the first."""
    try:
        at = local(text.strip())
        if at.tzinfo is None:
            if zone is None:
                raise NoTime(_("'{text}' has no zone; give one in the policy: [course] zone = "
                               "+01:00", text=text[:60]))
            at = at.replace(tzinfo=zone)
        if at.year < 1970:
            raise NoTime(_("'{text}' is long ago", text=text[:60]))
        return instant(at, last)
    except (ValueError, OverflowError, OSError) as why:
        raise NoTime(str(why)) from None


def duration(text):
    """15m, 24h, 7d in seconds."""
    found = re.fullmatch(r"(\d{1,6})([mhd])", text)
    if not found or not 0 < int(found[1]) <= 100000:
        raise NoTime(_("'{text}' is not a time such as 15m, 24h, 7d", text=text[:60]))
    return int(found[1]) * UNITS[found[2]]


def later(at, more, zone):
    """So much later. Whole days end at the same time by the clocks of the zone, which may be
    23 or 25 hours."""
    if not more or more % DAY or zone is None:
        return at + more
    local_time = datetime.datetime.fromtimestamp(at, zone) + datetime.timedelta(seconds=more)
    return instant(local_time, last=True)


def behind(at, due, zone):
    """By how many seconds `at` lies behind `due`: by the zone's clocks, or as time went, of
    which the smaller one counts. So the hour that clocks are set back makes nobody later."""
    gone = at - due
    if zone is None:
        return gone
    here, there = (datetime.datetime.fromtimestamp(s, zone).utcoffset() for s in (at, due))
    return min(gone, gone + int((here - there).total_seconds()))


def shown(at):
    return datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime(
        "%Y-%m-%dT%H:%M:%SZ")


def long(late):
    """1d 3h 10m; begun minutes count."""
    minutes = -(-late // 60)
    parts = [(minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "m")]
    return " ".join(f"{n}{unit}" for n, unit in parts if n) or "0m"
