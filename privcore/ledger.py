"""Ledger: a privacy budget in a file, declared once and only ever spent.

What it keeps is sequential composition. Let the k-th output be epsilon_k-differentially private given the earlier
ones, which may have decided what to run and at which epsilon_k. The probability of a sequence of outputs is a product
of conditional ones; between neighbours the k-th factor changes by e^(epsilon_k) at most, and a debit is refused unless
the epsilon_k of the sequence add up to the budget at most. So all outputs together are budget-differentially private
(Rogers, Roth, Ullman, Vadhan, NIPS 2016: a privacy filter). Costs are fractions: sums and comparisons are exact.

One ledger, one relation. The sum means something only if every term is about the same neighbours, so a ledger has one
relation and one unit, a row or a person, and refuses costs of another. No silent conversion: from add/remove to
replace-one a cost doubles (replacing is removing and adding) and may be debited so by hand; the other way there is
none, since replace-one gives n away; from a row to a person there is none without bounded rows. Persons may have
another `max_rows` every time: the neighbours differ by a whole person all the same, and m only says what it costs.

Spent before it runs, and never refunded: a run that fails may have shown something already. The order is lock, read,
check, write a new file, force it to the disk, put it in the place of the old one, unlock; only then does the release
run. A crash on the way leaves the old file or the new one, whole, and nothing was released.

What it can't do: it binds those who use it. A copy of the file, an older one put back, or another ledger for the same
data spends twice, and a figure that was changed by hand with care is not found out.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, InvalidOperation, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, TypeVar, get_args

import numpy as np
from filelock import FileLock, Timeout

from privcore import strict_json
from privcore.domain import Box, checked_box
from privcore.errors import LedgerError, OverBudgetError
from privcore.parameters import EPSILON_RANGE, Neighbours, Parameters, checked_parameters
from privcore.persons import checked_numbers
from privcore.release import Release, release

Done = TypeVar("Done")
Amount: TypeAlias = Fraction | Decimal | float | str
"""An epsilon: floats and decimals are taken for exactly what they are."""

LARGEST = 10**6
WAIT = 60.0
"""Seconds that a debit waits for others; one takes milliseconds."""
_WINDOWS = os.name == "nt"
_TRIES, _PAUSE = 100, 0.02
"""How often, and after how many seconds, a file is tried again that Windows says is in use."""
_LONGEST = 4096
"""Bits of a numerator or denominator; any float has fewer."""
_FRACTION = re.compile(r"([0-9]{1,1300})(?:/([0-9]{1,1300}))?")
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_RESTORE = "Nothing can be spent until a ledger with every debit stands there again."


@dataclass(frozen=True)
class Debit:
    """One line of a ledger: when (UTC), how much, for which neighbours, with which parameters. Nothing of the data.

    `cost` is exact and protects one row, or one `person` (the name of the column that tells persons apart) of whom at
    most `max_rows` rows count. `parameters` are plain values, `note` is free text on one line. Raises `LedgerError`.
    """

    cost: Fraction
    neighbours: Neighbours = "add-remove"
    person: str | None = None
    max_rows: int | None = None
    parameters: Mapping[str, Any] | None = None
    note: str = ""
    time: str = field(default_factory=lambda: datetime.now(UTC).strftime(_TIME))

    def __post_init__(self) -> None:
        object.__setattr__(self, "cost", exact(self.cost, "The cost"))
        _check_relation(self.neighbours, self.person)
        if self.max_rows is not None and (type(self.max_rows) is not int or self.max_rows < 1 or self.person is None):
            raise LedgerError(f"max_rows is {self.max_rows!r}, but must be a whole number from 1, and needs a person.")
        object.__setattr__(self, "parameters", _plain(self.parameters))
        _check_line(self.note, "The note")
        _check_time(self.time)

    def to_dict(self) -> dict[str, Any]:
        """The line as plain values: the exact cost, and beside it a float to read."""
        return {
            "time": self.time,
            "cost": str(self.cost),
            "epsilon": float(self.cost),
            "neighbours": self.neighbours,
            "person": self.person,
            "max_rows": self.max_rows,
            "parameters": self.parameters,
            "note": self.note,
        }


@dataclass(frozen=True)
class Account:
    """What a ledger says at one moment: an immutable value, checked as a whole. Raises `LedgerError`.

    `budget`, `spent` and `remaining` are exact; `name` is what its owner calls the data; the guarantee is about
    `neighbours` and one row, or one `person`.
    """

    name: str
    budget: Fraction
    neighbours: Neighbours = "add-remove"
    person: str | None = None
    debits: tuple[Debit, ...] = ()

    FORMAT: ClassVar[str] = "privcore-ledger"
    VERSION: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "budget", exact(self.budget, "The budget"))
        _check_line(self.name, "The name of a ledger", empty=False)
        _check_relation(self.neighbours, self.person)
        for debit in self.debits:
            if (debit.neighbours, debit.person) != (self.neighbours, self.person):
                raise LedgerError("A debit of the ledger is about other neighbours than the ledger.")
        if self.spent > self.budget:
            raise LedgerError("The debits of the ledger are more than its budget.")

    @property
    def spent(self) -> Fraction:
        """The sum of the debits."""
        return sum((debit.cost for debit in self.debits), Fraction(0))

    @property
    def remaining(self) -> Fraction:
        """The budget less what is spent."""
        return self.budget - self.spent

    @property
    def relation(self) -> str:
        """What the budget protects, in words."""
        return _relation(self.neighbours, self.person)

    def after(self, debit: Debit) -> Account:
        """The account with one more debit; raises `OverBudgetError` or `LedgerError` if it can't be made.

        >>> account = Account("census", Fraction(1, 2)).after(Debit(Fraction(1, 5)))
        >>> account.remaining
        Fraction(3, 10)
        >>> account.after(Debit(Fraction(1, 2)))
        Traceback (most recent call last):
        privcore.errors.OverBudgetError: The ledger 'census' has 0.3 of its budget of 0.5 left, but 0.5 is asked, \
0.2 too much. Nothing was spent. Ask for at most 0.3; a budget can't be raised.
        """
        if (debit.neighbours, debit.person) != (self.neighbours, self.person):
            raise LedgerError(
                f"The ledger {self.name!r} counts what {self.relation} costs, but this is about "
                f"{_relation(debit.neighbours, debit.person)}. These can't be added up: nothing was spent. "
                "Use the ledger's own relation and unit."
            )
        if debit.cost > self.remaining:
            left = readable(self.remaining)
            advice = f"Ask for at most {left}" if self.remaining else "It is used up"
            if 0 < self.remaining < EPSILON_RANGE[0]:  # a release costs a little less than epsilon, which leaves crumbs
                advice = "What is left is too little for a release"
            raise OverBudgetError(
                f"The ledger {self.name!r} has {left} of its budget of {readable(self.budget)} left, but "
                f"{readable(debit.cost, ROUND_HALF_EVEN)} is asked, "
                f"{readable(debit.cost - self.remaining, ROUND_CEILING)} too much. "
                f"Nothing was spent. {advice}; a budget can't be raised."
            )
        return replace(self, debits=(*self.debits, debit))

    def to_json(self) -> str:
        """The account as text, one field a line."""
        content = {
            "format": self.FORMAT,
            "version": self.VERSION,
            "name": self.name,
            "budget": str(self.budget),
            "neighbours": self.neighbours,
            "person": self.person,
            "debits": [debit.to_dict() for debit in self.debits],
        }
        return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Account:
        """Read what `to_json` wrote; raises `LedgerError` for anything else: what is wrong is never repaired.

        >>> account = Account("census", Fraction(2)).after(Debit(Fraction(1, 3)))
        >>> Account.from_json(account.to_json()) == account
        True
        """
        try:
            content = strict_json.loads(text)
        except ValueError as error:
            raise LedgerError(f"It is no ledger, or is damaged ({error}). {_RESTORE}") from None
        if not isinstance(content, dict) or content.get("format") != cls.FORMAT:
            raise LedgerError("It is no ledger that privcore wrote. Name another file.")
        version = content.get("version")
        if type(version) is int and version > cls.VERSION:
            raise LedgerError(f"It has version {version}; this privcore reads version {cls.VERSION}. Update privcore.")
        try:
            debits = tuple(_debit_of(line) for line in content["debits"])
            relation = content["neighbours"], content["person"]
            account = cls(content["name"], _fraction(content["budget"]), *relation, debits)
            changed = strict_json.changed_field(content, account.to_json())
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            reason = f"{error}" if isinstance(error, LedgerError) else "A field is missing or has a wrong type."
            raise LedgerError(f"It was changed or is damaged: {reason} {_RESTORE}") from None
        if changed is not None:
            reason = f"The field {changed!r} isn't as privcore writes it."
            raise LedgerError(f"It was changed or is damaged: {reason} {_RESTORE}")
        return account


def debit_of(box: Box, parameters: Parameters, person: str | None = None, note: str = "") -> Debit:
    """The debit of one release: `parameters.unit_epsilon`; `person` names the persons if there is a `max_rows`.

    >>> debit_of(Box.unit(2), Parameters(0.1, max_rows=4), "patient").max_rows
    4
    """
    return Debit(
        parameters.unit_epsilon(box.d),
        parameters.neighbours,
        None if parameters.max_rows is None else person or "person",
        parameters.max_rows,
        {"d": box.d, **parameters.to_dict()},
        note,
    )


class Ledger:
    """The budget of one data set, in a JSON file: what is spent on it is debited first, and never given back.

    Make one with `create`, once for a data set, and open it with its path ever after. Every method reads the file
    anew, and debits wait for one another, so that threads and processes can share a ledger. The file holds nothing of
    the data: keep it beside them, under a name of your own. Raises `LedgerError`, `OverBudgetError`.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "census.json"
    >>> ledger = Ledger.create(path, budget=2)
    >>> made = ledger.release([[0.2], [0.4]], Box.unit(1), Parameters(epsilon=0.5), note="first look")
    >>> ledger.remaining == 2 - made.unit_epsilon, Ledger(path).account.debits[0].note
    (True, 'first look')
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = _real(path)
        _ = self.account  # what is no ledger is refused at once

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        budget: Amount,
        *,
        neighbours: Neighbours = "add-remove",
        person: str | None = None,
        name: str | None = None,
    ) -> Ledger:
        """Declare a budget in a new file; raises `LedgerError` if the file is there already.

        `person`: the column, or another name, that tells persons apart, if the unit of protection is a person and not
        a row. `name`: what to call the data; the file's own name if None. A budget as text or `Decimal` is exactly
        that number; a float is the binary fraction that it is.

        >>> import tempfile
        >>> Ledger.create(Path(tempfile.mkdtemp()) / "survey.json", "0.3").account.budget
        Fraction(3, 10)
        """
        real = _real(path)
        account = Account(real.stem if name is None else name, exact(budget, "The budget"), neighbours, person)
        with _locked(real):
            if real.exists():
                raise LedgerError(f"{real.name} is there already. Open it, or name another file.")
            _replace(real, account.to_json())
        return cls(real)

    @property
    def account(self) -> Account:
        """What the ledger says now."""
        try:
            return Account.from_json(_patiently(self.path.read_bytes))
        except FileNotFoundError:
            raise LedgerError(f"There is no ledger {self.path.name}. Check the path, or create one.") from None
        except OSError as error:
            raise LedgerError(f"The ledger {self.path.name} can't be read: {error.strerror or error}.") from None
        except LedgerError as error:
            raise LedgerError(f"The ledger {self.path.name} is refused. {error}") from None

    @property
    def remaining(self) -> Fraction:
        """What can still be spent."""
        return self.account.remaining

    def debit(
        self,
        cost: Amount,
        *,
        neighbours: Neighbours = "add-remove",
        person: str | None = None,
        max_rows: int | None = None,
        parameters: Mapping[str, Any] | None = None,
        note: str = "",
    ) -> Account:
        """Spend `cost`, the epsilon of something that runs afterwards, and return the account that is left.

        When this returns, the debit is on the disk; when it raises, run nothing. `neighbours` and `person` say what
        the cost protects and must be the ledger's own; `parameters` and `note` are kept for the reader and must be
        public. Raises `OverBudgetError` if less remains, `LedgerError` if the ledger can't be used.

        >>> import tempfile
        >>> ledger = Ledger.create(Path(tempfile.mkdtemp()) / "a.json", 1)
        >>> ledger.debit("0.25", note="a mean, by another tool").remaining
        Fraction(3, 4)
        """
        return self.spend(Debit(exact(cost, "The cost"), neighbours, person, max_rows, parameters, note))

    def spend(self, debit: Debit) -> Account:
        """Write one debit, and return the account that is left; see `debit`.

        >>> import tempfile
        >>> ledger = Ledger.create(Path(tempfile.mkdtemp()) / "a.json", 1)
        >>> ledger.spend(debit_of(Box.unit(2), Parameters(0.1))).spent == Parameters(0.1).unit_epsilon(2)
        True
        """
        with _locked(self.path):
            account = self.account.after(debit)
            _replace(self.path, account.to_json())
        return account

    def release(
        self,
        points: Any,
        box: Box,
        parameters: Parameters,
        persons: Any = None,
        *,
        person: str | None = None,
        note: str = "",
    ) -> Release:
        """Spend what the release costs, then make it with `privcore.release`; an error afterwards refunds nothing.

        Arguments as there; `person` is what tells persons apart, None for what the ledger says. That the points fit
        the box is checked before, so that a slip costs nothing. Raises `InvalidPointsError`,
        `InvalidParametersError`, `LedgerError`, `OverBudgetError`.
        """
        rows = checked_box(box).rows(points)
        checked_parameters(parameters)
        checked_numbers(persons, parameters.max_rows, len(rows))
        self.spend(debit_of(box, parameters, person or self.account.person, note))
        return release(rows, box, parameters, persons)


# ---------------------------------------------------------------------------------------- numbers and text


def exact(value: Amount, what: str) -> Fraction:
    """An epsilon as the fraction that it is; raises `LedgerError` unless it is positive and at most 10^6.

    >>> exact("0.1", "The cost"), exact(0.1, "The cost") == Fraction(1, 10)
    (Fraction(1, 10), False)
    """
    value = value.item() if isinstance(value, np.generic) else value
    try:
        number = Decimal(value) if isinstance(value, str) else value
        if isinstance(number, Decimal) and number and abs(number.adjusted()) > 1000:
            raise ValueError
        fraction = Fraction(number)
    except (TypeError, ValueError, OverflowError, InvalidOperation):
        fraction = Fraction(0)
    longest = max(fraction.numerator.bit_length(), fraction.denominator.bit_length())
    if isinstance(value, bool) or not 0 < fraction <= LARGEST or longest > _LONGEST:
        raise LedgerError(f"{what} is {str(value)[:40]}, but must be a number above 0 and at most {LARGEST}.")
    return fraction


def readable(value: Fraction, rounding: str = ROUND_FLOOR) -> str:
    """A fraction to six digits: what remains is rounded down, what is spent `ROUND_CEILING`.

    >>> readable(Fraction(2, 3)), readable(Fraction(2, 3), ROUND_CEILING), readable(Fraction(10))
    ('0.666666', '0.666667', '10')
    """
    with localcontext() as context:
        context.prec, context.rounding = 6, rounding
        number = (Decimal(value.numerator) / Decimal(value.denominator)).normalize()
        return f"{number:f}" if -7 < number.adjusted() < 7 else f"{number:e}"


def _fraction(text: str) -> Fraction:
    found = _FRACTION.fullmatch(text)
    if not found or int(found[2] or 1) == 0:
        raise LedgerError("An amount is no fraction.")
    return Fraction(int(found[1]), int(found[2] or 1))


def _debit_of(line: Mapping[str, Any]) -> Debit:
    names = ("neighbours", "person", "max_rows", "parameters", "note", "time")
    return Debit(_fraction(line["cost"]), **{name: line[name] for name in names})


def _relation(neighbours: Neighbours, person: str | None) -> str:
    if person is not None:
        return f"adding or removing one person ({person}) with all their rows"
    return "adding or removing one row" if neighbours == "add-remove" else "replacing one row"


def _check_relation(neighbours: Any, person: Any) -> None:
    if neighbours not in get_args(Neighbours):
        raise LedgerError(f"The neighbours are {neighbours!r}, but must be 'add-remove' or 'replace-one'.")
    if person is not None:
        _check_line(person, "The name of the persons' column", empty=False)
        if neighbours != "add-remove":
            raise LedgerError("A person as the unit of protection needs the neighbours 'add-remove'.")


def _plain(parameters: Any) -> dict[str, Any] | None:
    """The parameters as they will be read back."""
    if parameters is None:
        return None
    try:
        text = json.dumps(dict(parameters), allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError):
        raise LedgerError("The parameters of a debit must be named values of plain types.") from None
    values: dict[str, Any] = json.loads(text)
    return values


def _check_line(text: Any, what: str, empty: bool = True) -> None:
    if not isinstance(text, str) or not text.isprintable() or not (empty or text.strip()):
        raise LedgerError(f"{what} must be text on one line.")


def _check_time(text: Any) -> None:
    try:
        if datetime.strptime(text, _TIME).strftime(_TIME) == text:
            return
    except (TypeError, ValueError):
        pass
    raise LedgerError("The time of a debit must be in UTC, like 2026-01-31T12:00:00Z.")


# ------------------------------------------------------------------------------------------------- the file


def _real(path: str | os.PathLike[str]) -> Path:
    """The file itself and not a link to it: a link would be replaced by a second ledger."""
    return Path(os.path.realpath(path))


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the ledger's lock: a file beside it that stays, since the ledger itself is replaced by every debit."""
    if not path.parent.is_dir():
        raise LedgerError(f"There is no directory {path.parent}.")
    try:
        with FileLock(path.with_name(f".{path.name}.lock"), timeout=WAIT):
            yield
    except Timeout:
        raise LedgerError(
            f"The ledger {path.name} is in use by another process. Nothing was spent; try again."
        ) from None
    except OSError as error:
        raise LedgerError(
            f"The ledger {path.name} can't be written: {error.strerror or error}. Nothing was run; look what it says."
        ) from None


def _replace(path: Path, text: str) -> None:
    """Put a new file in the place of the old one, at once and for good; the caller holds the lock."""
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)  # of a process that was killed
    with contextlib.ExitStack() as stack:
        stack.callback(part.unlink, missing_ok=True)
        with part.open("xb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        if path.exists() and not _WINDOWS:  # there it is the read-only flag alone, which would keep the part for ever
            shutil.copymode(path, part)
        directory = stack.enter_context(_directory(path.parent))
        _patiently(lambda: os.replace(part, path))
        if directory is not None:
            _sync(directory)


def _patiently(act: Callable[[], Done]) -> Done:
    """Do something with a file; on Windows again for a moment, while another process that reads it is in the way.

    Readers take no lock. Elsewhere a file that is being read can be replaced; Windows refuses it, and the other way
    round, as if permission were missing.
    """
    for _ in range(_TRIES if _WINDOWS else 0):
        try:
            return act()
        except PermissionError:
            time.sleep(_PAUSE)
    return act()


@contextlib.contextmanager
def _directory(path: Path) -> Iterator[int | None]:
    """A directory as a file descriptor; None where directories can't be opened (Windows)."""
    if not hasattr(os, "O_DIRECTORY"):
        yield None
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _sync(directory: int) -> None:
    """Force the new name to the disk; a file system that has no such call does it by itself or not at all."""
    try:
        os.fsync(directory)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
