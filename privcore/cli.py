"""The command line: `privcore release | sample | simulate | check | ledger | dashboard`.

Results go to stdout, messages to stderr. Exit codes: 0 done, 1 refused input, 2 wrong usage. What `release` prints
is fixed text and public facts: nothing in it, errors included, depends on a cell of the table.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from importlib.metadata import version as package_version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from privcore.errors import InvalidReleaseError, PrivcoreError, TooLargeError

if TYPE_CHECKING:
    import numpy as np

    from privcore.accounting import Cost
    from privcore.domain import Box
    from privcore.ledger import Account, Debit
    from privcore.parameters import Parameters
    from privcore.tables import Table
    from privcore.transport import W1

SEVERAL = ("--columns", "--low", "--high")
NOT_PRIVATE = "NOT PRIVATE: what follows shows the data. Only the owner of the file may see it."
UNREADABLE = (
    "The file can't be read as a table with these columns. Its owner can see why: privcore check FILE, with the same "
    "--columns, --person and format."
)
FILE_FIRST = "The file goes before --columns, --low and --high, which take every value that follows"
DECIMAL_COMMA = (
    "These columns seem to have a decimal comma. A release doesn't guess, since then the cells of one row would decide "
    "how the others are read: say --decimal , or --decimal ."
)
FAILED = "The release failed and nothing was written. Count its epsilon as spent."
FAILED_IN_LEDGER = "The release failed and nothing was written. Its epsilon stays spent in the ledger."

REFUSED, USAGE, INTERRUPTED = 1, 2, 130


class _RefusedError(Exception):
    """Input that can't be worked on, as one line."""


def spread(arguments: Sequence[str]) -> list[str]:
    """Write `--low -1 -2` as `--low=-1 --low=-2`, the only way that click takes several values for one option.

    The values end at the next option; a negative number is a value. Raises a usage error for an option without one.

    >>> spread(["data.csv", "--low", "-1", "-2e3", "--columns", "x", "y", "--epsilon", "1"])
    ['data.csv', '--low=-1', '--low=-2e3', '--columns=x', '--columns=y', '--epsilon', '1']
    """
    result: list[str] = []
    option: str | None = None
    for position, argument in enumerate(arguments):
        if argument == "--":
            return result + list(arguments[position:])
        if option and (not argument.startswith("-") or _is_number(argument)):
            result.append(f"{option}={argument}")
            continue
        option = argument if argument in SEVERAL else None
        if option is None:
            result.append(argument)
        elif position + 1 == len(arguments) or _is_option(arguments[position + 1]):
            raise _usage("It has no value.", option)
    return result


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True


def _is_option(text: str) -> bool:
    return text.startswith("-") and not _is_number(text)


class _Group(TyperGroup):
    """The commands, with options that take several values."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        result: list[str] = super().parse_args(ctx, spread(args))
        return result


app = typer.Typer(cls=_Group, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The table: CSV, TSV, Excel (.xlsx) or Parquet.")]
Columns = Annotated[list[str], typer.Option(metavar="NAME...", help="The columns of the points: --columns x y.")]
Low = Annotated[
    list[str],
    typer.Option(metavar="NUMBER...", help="The lower bounds, one a column: declared, never taken from the data."),
]
High = Annotated[list[str], typer.Option(metavar="NUMBER...", help="The upper bounds, one a column.")]
Epsilon = Annotated[float, typer.Option(help="The privacy budget: smaller is more private.")]
Theta = Annotated[float, typer.Option(help="The threshold of a split, in records.")]
Delta = Annotated[float | None, typer.Option(help="The depth penalty, in records; overrides --gamma.")]
Gamma = Annotated[float | None, typer.Option(help="The depth penalty over lambda. Default: 25/36.")]
TreeShare = Annotated[float | None, typer.Option(help="The part of epsilon that the tree may cost, between 0 and 1.")]
Mode = Annotated[Literal["tight", "paper"], typer.Option(help="Exact accounting, or the paper's constants.")]
Neighbours = Annotated[
    Literal["add-remove", "replace-one"],
    typer.Option(help="What two neighbouring tables differ in: one row more or less, or one row's values."),
]
Total = Annotated[float | None, typer.Option(help="A public number of records that is not taken from the data.")]
Shift = Annotated[
    Literal["none", "random"], typer.Option(help="Shift the partition by a random amount, which is public.")
]
MaxDepth = Annotated[int | None, typer.Option(help="The largest depth of a cell.")]
Projection = Annotated[
    Literal["euclidean", "lipschitz", "clip"] | None, typer.Option(help="How noisy masses become probabilities.")
]
Representative = Annotated[Literal["centre", "spread"], typer.Option(help="Where in its cell a leaf's mass is put.")]
Person = Annotated[
    str | None, typer.Option(help="The column that names the person of a row, to protect persons instead of rows.")
]
MaxRows = Annotated[
    int | None, typer.Option(help="How many rows of one person count; a person costs that many times epsilon.")
]
LedgerFile = Annotated[Path, typer.Argument(metavar="LEDGER", help="The ledger: a JSON file, one for a data set.")]
Delimiter = Annotated[
    Literal[",", ";", "|", "tab"] | None,
    typer.Option(metavar="MARK", help="The delimiter of a text file: a comma, a semicolon, a bar, or the word tab."),
]
Decimal = Annotated[
    Literal[".", ","] | None, typer.Option(metavar="MARK", help="The decimal mark of a text file: a point or a comma.")
]
Encoding = Annotated[str | None, typer.Option(help="The encoding of a text file.")]
Header = Annotated[bool | None, typer.Option("--header/--no-header", help="Whether the first row holds the names.")]
Sheet = Annotated[str | None, typer.Option(help="The sheet of an Excel file.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output file.")]


@dataclass(frozen=True)
class _Dialect:
    """What the user says about the file."""

    delimiter: Literal[",", ";", "|", "tab"] | None
    decimal: Literal[".", ","] | None
    encoding: str | None
    header: bool | None
    sheet: str | None

    def __post_init__(self) -> None:
        try:
            codecs.lookup(self.encoding or "utf-8")
        except LookupError:
            raise _usage(f"There is no encoding {self.encoding}.", "--encoding") from None

    def read(self, file: Path, person: str | None = None) -> Table:
        from privcore.tables import read_table

        delimiter = "\t" if self.delimiter == "tab" else self.delimiter
        return read_table(
            file,
            delimiter=delimiter,
            decimal=self.decimal,
            encoding=self.encoding,
            header=self.header,
            sheet=self.sheet,
            text=() if person is None else (person,),
        )


# ----------------------------------------------------------------------------------------- commands


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    """Differentially private synthetic measures of point clouds.

    \b
    privcore dashboard
    privcore release data.csv --columns x y --low 0 0 --high 10 5 --epsilon 1 --out release.json
    privcore sample release.json -n 1000 --out synthetic.csv

    Each command says more with --help.
    """
    if version:
        typer.echo(package_version("privcore"))
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def release(
    file: File,
    columns: Columns,
    low: Low,
    high: High,
    epsilon: Epsilon,
    out: Annotated[Path, typer.Option(help="The release, as JSON.")],
    theta: Theta = 0.0,
    delta: Delta = None,
    gamma: Gamma = None,
    tree_share: TreeShare = None,
    mode: Mode = "tight",
    neighbours: Neighbours = "add-remove",
    total: Total = None,
    shift: Shift = "none",
    max_depth: MaxDepth = None,
    projection: Projection = None,
    representative: Representative = "centre",
    person: Person = None,
    max_rows: MaxRows = None,
    ledger: Annotated[
        Path | None, typer.Option(help="Spend from this ledger: refused if its budget would be passed.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="Make the ledger, if there is none, with this budget: once and for all.")
    ] = None,
    note: Annotated[str, typer.Option(help="A line for the ledger: what the release is for.")] = "",
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    header: Header = None,
    sheet: Sheet = None,
    force: Force = False,
) -> None:
    """Make one epsilon-differentially private release of the chosen columns. It spends epsilon and can't be undone.

    The noise comes from the operating system; there is no seed. A row with a cell that is no number doesn't count.
    The bounds must be declared, since bounds taken from the data would give the outermost rows away. The format of
    the file (delimiter, decimal mark, names and kinds of columns) counts as public; say it to keep it fixed. Nothing
    that is printed depends on a cell, so look at the file before: privcore check FILE.

    Releases of the same data add up: a ledger keeps count, and refuses what would pass its budget. Where one person
    can have several rows, name their column: then at most --max-rows rows of each count, chosen at random, and a
    person costs --max-rows times epsilon. A row that names nobody doesn't count; names are compared as text, exactly.

    \b
    privcore release data.csv --columns x y --low 0 0 --high 10 5 --epsilon 1 --out release.json
    privcore release data.csv ... --epsilon 1 --out release.json --ledger budget.json --budget 3
    privcore release visits.csv ... --epsilon 0.2 --person patient --max-rows 5 --out visits.json
    privcore release towns.csv --columns lon lat --low -180 -90 --high 180 90 --epsilon 0.5 --out towns.json
    privcore release survey.xlsx --columns age --low 0 --high 120 --epsilon 1 --mode paper --out survey.json
    """
    from privcore.ledger import debit_of
    from privcore.release import release as make_release

    box = _box(columns, low, high)
    parameters = _parameters(locals())
    cost = parameters.cost(box.d)
    dialect = _Dialect(delimiter, decimal, encoding, header, sheet)
    _check_person(person, max_rows, box)
    _check_input(file)
    debit = debit_of(box, parameters, person, note)
    if ledger is not None:
        _account_before(ledger, budget, debit).after(debit)
    elif budget is not None or note:
        raise _usage("There is no ledger to keep it in. Name one with --ledger.", "--budget" if budget else "--note")
    with _output(out, force, keep=(file,) if ledger is None else (file, ledger)) as target:
        with _step("Reading the table"):
            points, persons = _points_in_silence(dialect, file, box, person)
        if ledger is not None:
            _spend(ledger, budget, debit)
        with _step("Making the release"), _in_silence(FAILED if ledger is None else FAILED_IN_LEDGER):
            made = make_release(points, box, parameters, persons)
            target.write(made.to_json().encode())
    typer.echo(f"An epsilon-DP release of {', '.join(box.columns)}, under {parameters.relation}.")
    _print_cost(cost, max_rows)
    typer.echo(f"leaves     {len(made.noisy_counts)}")
    typer.echo(f"written    {out}")


@app.command()
def sample(
    file: Annotated[Path, typer.Argument(metavar="RELEASE", help="A release, as `privcore release` wrote it.")],
    n: Annotated[int, typer.Option("-n", "--number", min=1, help="How many points.")] = 1000,
    out: Annotated[Path | None, typer.Option(help="The points, as CSV. Default: stdout.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed: another one gives another sample.")] = 0,
    method: Annotated[
        Literal["low-discrepancy", "random"], typer.Option(help="As even as can be, or independent points.")
    ] = "low-discrepancy",
    force: Force = False,
) -> None:
    """Draw synthetic points from a release. It costs no privacy, however often it is done.

    \b
    privcore sample release.json -n 1000 --out synthetic.csv
    privcore sample release.json -n 500 --method random --seed 7 > synthetic.csv
    """
    import pandas as pd

    from privcore.release import Release

    _check_input(file)
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise _RefusedError(f"{file} is not a release: it is not a text file.") from None
    try:
        made = Release.from_json(text)
    except InvalidReleaseError as error:
        raise _RefusedError(f"{file} can't be read. {error}") from None
    with _step("Drawing points"):
        points = made.measure.sample(n, seed, method=method)
        table = pd.DataFrame(points, columns=list(made.box.columns)).to_csv(index=False, lineterminator="\n")
    if out is None:
        typer.echo(table, nl=False)
        return
    with _output(out, force, keep=(file,)) as target:
        target.write(table.encode())
    typer.echo(f"written    {out}")


@app.command()
def simulate(
    file: File,
    columns: Columns,
    low: Low,
    high: High,
    epsilon: Epsilon,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the noise.")] = 0,
    deadline: Annotated[
        float | None, typer.Option(min=0, help="The seconds that each distance may take; an interval if not exact.")
    ] = None,
    theta: Theta = 0.0,
    delta: Delta = None,
    gamma: Gamma = None,
    tree_share: TreeShare = None,
    mode: Mode = "tight",
    neighbours: Neighbours = "add-remove",
    total: Total = None,
    shift: Shift = "none",
    max_depth: MaxDepth = None,
    projection: Projection = None,
    representative: Representative = "centre",
    person: Person = None,
    max_rows: MaxRows = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    header: Header = None,
    sheet: Sheet = None,
) -> None:
    """See what a release would cost and how far it would be from the data. NOT PRIVATE: for the owner of the file.

    It walks the same path as `release` with seeded noise, and compares the result with the data. A distance that is
    not exact at the deadline is printed as an interval that is proved to hold it.

    \b
    privcore simulate data.csv --columns x y --low 0 0 --high 10 5 --epsilon 1
    privcore simulate data.csv --columns x y --low 0 0 --high 10 5 --epsilon 1 --mode paper --seed 3
    privcore simulate large.csv --columns x y --low 0 0 --high 10 5 --epsilon 1 --deadline 10
    """
    from privcore.simulation import simulate as run_simulation

    box = _box(columns, low, high)
    parameters = _parameters(locals())
    cost = parameters.cost(box.d)
    dialect = _Dialect(delimiter, decimal, encoding, header, sheet)
    _check_person(person, max_rows, box)
    _check_input(file)
    typer.echo(NOT_PRIVATE)
    with _step("Reading the table"):
        table = dialect.read(file, person)
    for problem in table.problems:
        typer.echo(f"{file}: {problem}", err=True)
    points = _points_of(table, box)
    with _step("Simulating"):
        run = run_simulation(points, box, parameters, seed, None if person is None else table.labels(person))
    run.deadline = deadline
    typer.echo(f"rows       {run.n} of {len(points)}")
    _print_cost(cost, max_rows)
    typer.echo(f"leaves     {len(run.noisy_counts)}")
    parts = [("W1", "w1", "data to release"), ("resolution", "w1_resolution", "data to true masses on the same cells")]
    if person is not None:
        parts.insert(0, ("bounding", "w1_bounding", "all rows to those that count, which are the data below"))
    try:
        for name, attribute, meaning in (*parts, ("privacy", "w1_privacy", "true to released masses")):
            with _step(f"Computing {name}"):
                distance: W1 = getattr(run, attribute)
            typer.echo(f"{name:10} {_distance(distance)} in the unit cube, {meaning}")
    except TooLargeError as error:
        raise _RefusedError(f"The distance was not computed: {error}") from None


@app.command()
def check(
    file: File,
    columns: Annotated[
        list[str] | None, typer.Option(metavar="NAME...", help="The columns that will be points: --columns x y.")
    ] = None,
    person: Person = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    header: Header = None,
    sheet: Sheet = None,
) -> None:
    """Say how a table is read and what is wrong with it. NOT PRIVATE: for the owner of the file.

    \b
    privcore check data.csv
    privcore check data.csv --columns x y --decimal ,
    """
    from privcore.tables.dialect import NAMES

    dialect = _Dialect(delimiter, decimal, encoding, header, sheet)
    _check_input(file)
    typer.echo(NOT_PRIVATE)
    with _step("Reading the table"):
        table = dialect.read(file, person)
    if table.format == "csv":
        typer.echo(f"text, {table.encoding}, delimiter {NAMES[table.delimiter]}, decimal mark {table.decimal!r}")
    elif table.format:
        typer.echo(table.format.capitalize() + (f", sheet {table.sheet!r}" if table.sheet else ""))
    if table.format:
        typer.echo(f"rows       {len(table.frame)}")
    for column in table.columns:
        typer.echo(f"  {column.name}: {column.kind}")
    for problem in table.problems:
        typer.echo(str(problem))
    if columns:
        table.points(_names(columns, table), others="missing")
    if person:
        table.labels(person)
    if not columns and not table.ok:
        raise typer.Exit(REFUSED)


ledgers = typer.Typer(rich_markup_mode=None)
app.add_typer(ledgers, name="ledger")


@ledgers.callback(invoke_without_command=True)
def _ledger(context: typer.Context) -> None:
    """Keep count of what was spent on a data set: declare its budget once, look at what is left.

    \b
    privcore ledger new budget.json --budget 3
    privcore ledger show budget.json
    privcore release data.csv ... --ledger budget.json
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@ledgers.command()
def new(
    file: LedgerFile,
    budget: Annotated[str, typer.Option(help="The most that may ever be spent on the data; it can't be changed.")],
    neighbours: Neighbours = "add-remove",
    person: Person = None,
    name: Annotated[str | None, typer.Option(help="What to call the data. Default: the name of the file.")] = None,
) -> None:
    """Declare the budget of a data set, in a new file. Make one for a data set, and keep it beside the data.

    A ledger counts the cost of one thing: a row (added, removed or replaced), or a person with all their rows.

    \b
    privcore ledger new budget.json --budget 3
    privcore ledger new budget.json --budget 3 --person patient
    """
    from privcore.ledger import Ledger

    _print_account(file, Ledger.create(file, budget, neighbours=neighbours, person=person, name=name).account)


@ledgers.command()
def show(file: LedgerFile) -> None:
    """Show a ledger: its budget, what was spent on what, and what is left.

    \b
    privcore ledger show budget.json
    """
    from privcore.ledger import Ledger

    _print_account(file, Ledger(file).account)


@app.command()
def dashboard(
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Where to serve. Default: the first free port.")
    ] = None,
    address: Annotated[str | None, typer.Option(help="The address to serve on. Default: this machine only.")] = None,
    classroom: Annotated[
        bool, typer.Option("--classroom", help="For many readers: uploads off, limits on data and time.")
    ] = False,
) -> None:
    """Open the dashboard in a browser.

    \b
    privcore dashboard
    privcore dashboard --port 8600
    privcore dashboard --classroom --address 0.0.0.0
    """
    command = [sys.executable, "-m", "dashboard"]
    command += [f"--port={port}"] if port is not None else []
    command += [f"--address={address}"] if address is not None else []
    command += ["--classroom"] if classroom else []
    with subprocess.Popen(command) as server:
        # Whoever ends this process means the server: without this it would be left behind, still serving.
        signal.signal(signal.SIGTERM, lambda *_: server.terminate())
        code = server.wait()
    raise typer.Exit(code)


# ------------------------------------------------------------------------------- from text to values


def _usage(message: str, option: str) -> typer.BadParameter:
    return typer.BadParameter(message, param_hint=f"'{option}'")


def _box(columns: list[str], low: list[str], high: list[str]) -> Box:
    from privcore.domain import Box

    names = _split(columns)
    lows, highs = _numbers(low, "--low"), _numbers(high, "--high")
    for option, numbers in (("--low", lows), ("--high", highs)):
        if len(numbers) != len(names):
            counts = f"The columns are {', '.join(names)}, but the numbers {', '.join(map(_digits, numbers))}"
            raise _usage(f"{counts}. Give one a column. {FILE_FIRST}.", option)
    return Box(lows, highs, names=names)


def _split(values: list[str]) -> list[str]:
    """Several values, or one list with commas."""
    return [part.strip() for part in values[0].split(",")] if len(values) == 1 else list(values)


def _names(columns: list[str], table: Table) -> list[str]:
    return columns if columns[0] in {column.name for column in table.columns} else _split(columns)


def _numbers(values: list[str], option: str) -> list[float]:
    numbers: list[float] = []
    for value in _split(values):
        try:
            numbers.append(float(value))
        except ValueError:
            raise _usage(f"{value!r} is not a number. Use a decimal point.", option) from None
    return numbers


def _parameters(options: Mapping[str, Any]) -> Parameters:
    """The parameters among the arguments of a command: they have the same names."""
    from privcore.parameters import Parameters

    return Parameters(**{field.name: options[field.name] for field in fields(Parameters)})


def _check_person(person: str | None, max_rows: int | None, box: Box) -> None:
    if person is None and max_rows is not None:
        raise _usage("It needs the column that names the persons. Give --person.", "--max-rows")
    if person is not None and max_rows is None:
        raise _usage("How many rows of one person may count? Give --max-rows.", "--person")
    if person in box.columns:
        raise _usage(f"{person} is one of --columns. Name the column that tells the persons apart.", "--person")


def _account_before(path: Path, budget: str | None, debit: Debit) -> Account:
    """What the ledger says, or would say if it were made."""
    from privcore.ledger import Account, Ledger, exact, readable

    declared = None if budget is None else exact(budget, "The budget")
    if not path.exists():
        if declared is None:
            raise _RefusedError(f"There is no ledger {path}. Make it with --budget: the most that may ever be spent.")
        return Account(path.stem, declared, debit.neighbours, debit.person)
    account = Ledger(path).account
    if declared not in (None, account.budget):
        raise _RefusedError(f"{path} has a budget of {readable(account.budget)}, for good. Leave --budget out.")
    return account


def _spend(path: Path, budget: str | None, debit: Debit) -> None:
    """Debit what comes next, and say so at once: it stays spent, whatever happens."""
    from privcore.ledger import Ledger

    if budget is not None and not path.exists():
        Ledger.create(path, budget, neighbours=debit.neighbours, person=debit.person)
    account = Ledger(path).spend(debit)
    typer.echo(f"ledger     {path}: {_spent(debit.cost)} spent now; {_summary(account)}")


def _points_of(table: Table, box: Box) -> np.ndarray[Any, np.dtype[np.float64]]:
    """What a release sees: a cell that is no number, or a row of the wrong length, is a row without a point."""
    return table.points(box.columns, others="missing")


def _points_in_silence(
    dialect: _Dialect, file: Path, box: Box, person: str | None
) -> tuple[np.ndarray[Any, np.dtype[np.float64]], np.ndarray[Any, np.dtype[np.object_]] | None]:
    """The points, and the label of the person of each; a decimal comma must have been said."""
    with _in_silence(UNREADABLE):
        table = dialect.read(file, person)
        points, persons = _points_of(table, box), None if person is None else table.labels(person)
        marks = {column.decimal for column in table.columns if column.name in box.columns}
    if dialect.decimal is None and "," in marks:
        raise _RefusedError(DECIMAL_COMMA)
    return points, persons


# ------------------------------------------------------------------------------------ files and text


def _check_input(file: Path) -> None:
    if file.is_dir():
        raise _RefusedError(f"{file} is a directory. Name a file in it.")
    if not file.exists():
        raise _RefusedError(f"There is no file {file}. Check the path.")
    if not os.access(file, os.R_OK):
        raise _RefusedError(f"{file} can't be read: you have no permission.")


@contextlib.contextmanager
def _output(out: Path, force: bool, keep: Sequence[Path] = ()) -> Iterator[IO[bytes]]:
    """Open `out` for writing, all or nothing: it is complete or it isn't there, and nothing is overwritten unasked.

    That the file can be written is known before the body runs, so before any privacy budget is spent.
    """
    if out.is_dir():
        raise _RefusedError(f"{out} is a directory. Name a file with --out.")
    if any(_same(out, path) for path in keep):
        raise _RefusedError(f"{out} is the input, or the ledger. Name another file with --out.")
    if out.exists() and not force:
        raise _RefusedError(f"{out} exists. Name another file with --out, or say --force.")
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        target = part.open("xb")
    except OSError as error:
        raise _RefusedError(
            f"{out} can't be written: {error.strerror or error}. Name another file with --out."
        ) from None
    try:
        with target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        _publish(part, out, force)
    finally:
        part.unlink(missing_ok=True)


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other) or (one.exists() and other.exists() and one.samefile(other))


def _publish(part: Path, out: Path, force: bool) -> None:
    if not force:
        try:
            os.link(part, out)
        except FileExistsError:
            raise _RefusedError(f"{out} was written by somebody else in the meantime. It was left alone.") from None
        except OSError:
            pass  # a file system without links
        else:
            return
    part.replace(out)


@contextlib.contextmanager
def _in_silence(message: str) -> Iterator[None]:
    """Replace every error and warning, whose text could depend on a cell, by one fixed line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception:
        raise _RefusedError(message) from None


@contextlib.contextmanager
def _step(name: str) -> Iterator[None]:
    """Say on a terminal what is being done."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{name} …"):
        yield


def _print_cost(cost: Cost, max_rows: int | None) -> None:
    if max_rows is None:
        typer.echo(f"epsilon    {_digits(cost.epsilon)}")
    else:
        person = _digits(max_rows * cost.epsilon)
        typer.echo(
            f"epsilon    {person} for one person: {max_rows} rows, {_digits(cost.epsilon)} each; below, for a row"
        )
    typer.echo(f"cost       {_digits(cost.total)}, of which the tree takes {_digits(cost.tree)}")
    typer.echo(f"published  {_digits(cost.published_total)}, what PrivTree's own bound would count for the same noise")
    typer.echo(f"leaf noise rate {_digits(cost.a)} upwards and {_digits(cost.b)} downwards, a record")


def _print_account(path: Path, account: Account) -> None:
    typer.echo(f"ledger     {path}: {account.name}")
    typer.echo(f"protects   {account.relation}")
    typer.echo(f"epsilon    {_summary(account)}")
    for debit in account.debits:
        rows = "" if debit.max_rows is None else f", {debit.max_rows} rows a person"
        typer.echo(f"{debit.time}  {_spent(debit.cost)}{rows}{debit.note and f', {debit.note}'}")


def _summary(account: Account) -> str:
    from privcore.ledger import readable

    return f"{_spent(account.spent)} spent in all, {readable(account.remaining)} of {readable(account.budget)} left"


def _spent(cost: Fraction) -> str:
    from decimal import ROUND_CEILING

    from privcore.ledger import readable

    return readable(cost, ROUND_CEILING)


def _digits(value: float) -> str:
    return f"{value:.6g}"


def _distance(distance: W1) -> str:
    if distance.exact:
        return f"{distance.upper:.6g}"
    return f"{distance.lower:.6g} to {distance.upper:.6g}"


# --------------------------------------------------------------------------------------------- start


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command; leave with exit code 0 (done), 1 (refused input) or 2 (wrong usage), errors on one line."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = app(args=given, prog_name="privcore", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        raise SystemExit(_complain("Interrupted.", INTERRUPTED)) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(REFUSED) from None
    except (_RefusedError, PrivcoreError) as error:
        raise SystemExit(_complain(str(error), REFUSED)) from None
    except OSError as error:
        raise SystemExit(_complain(f"{error.strerror or 'An input or output failed'}.", REFUSED)) from None
    except MemoryError:
        raise SystemExit(_complain("There is not enough memory.", REFUSED)) from None
    except Exception as error:
        text = getattr(error, "format_message", None)  # click's own errors, whichever package they come from
        if text is None:
            raise SystemExit(_complain(f"Internal error: {type(error).__name__}.", REFUSED)) from None
        raise SystemExit(_complain(_advice(text().strip(), given, error), USAGE)) from None
    raise SystemExit(code if isinstance(code, int) else 0)


def _advice(text: str, given: Sequence[str], error: Exception) -> str:
    """A usage error as sentences, with the help that belongs to it; without typer's own "Value error" in the middle."""
    text = text.replace("Value error, ", "", 1)
    if text.startswith("Missing argument") and set(given) & set(SEVERAL):
        text = f"{text.rstrip('.')}. {FILE_FIRST}"
    # An error of ours has no context: it comes from the command that was given.
    context = getattr(error, "ctx", None)
    command = f"privcore {given[0]}" if context is None else context.command_path
    return f"{text if text.endswith(('.', '?')) else text + '.'} See {command} --help."


def _complain(message: str, code: int) -> int:
    typer.echo(f"privcore: {' '.join(message.split())}", err=True)
    return code


if __name__ == "__main__":
    main()
