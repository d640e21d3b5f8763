"""Every dial of the Explore page as one frozen object, and the only reader and writer of the link.

A link holds the dials that differ from their defaults, and a version. What cannot be taken as it stands is answered
with a sentence and the nearest value that can: reading never raises. A link never holds anything of an uploaded
table. Here delta is the depth penalty of the tree, in records, not the delta of (epsilon, delta)-privacy.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias, cast

from dashboard.limits import limits
from dashboard.text import settings as words
from privcore.accounting import Cost
from privcore.clouds import CLOUDS
from privcore.domain import AXIS_DIGITS
from privcore.errors import InvalidParametersError
from privcore.parameters import THETA_FLOOR, Parameters

VERSION: Final = "1"
RANGES: Final[dict[str, tuple[float, float]]] = {
    "n": (1, 100_000),
    "d": (1, 10),
    "data_seed": (0, 2**31 - 1),
    "epsilon": (0.01, 20.0),
    "theta": (-1e6, 1e6),
    "gamma": (0.05, 50.0),
    "delta": (1e-3, 1e5),
    "tree_share": (0.02, 0.98),
    "max_depth": (1, 10 * AXIS_DIGITS),
    "seed": (0, 2**31 - 1),
}
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "cloud": tuple(CLOUDS),
    "mode": ("tight", "paper"),
    "neighbours": ("add-remove", "replace-one"),
    "projection": ("euclidean", "lipschitz", "clip"),
    "representative": ("centre", "spread"),
}
WHOLE: Final = frozenset({"n", "d", "data_seed", "max_depth", "seed"})
# Parts of a link that are read elsewhere: Streamlit's own, and how a page is shown.
STEP: Final = "step"
"""The part of a link that the browser alone reads and writes: where the player of Watch stands."""
FOREIGN: Final = frozenset({"v", "hide", "present", "part", "pin", STEP, "embed", "embed_options"})
FIXED_BY_PAPER: Final = ("theta", "gamma", "delta", "tree_share")

Shift: TypeAlias = Literal["none", "random"] | tuple[float, ...]


@dataclass(frozen=True)
class Problem:
    """A dial that could not be taken as it stood, and the sentence that says what is used instead."""

    key: str
    message: str


@dataclass(frozen=True)
class Settings:
    """The dials; None leaves a value to the mechanism. `repaired` makes any combination valid.

    `theta` and `delta` are in records, `gamma` is delta as a multiple of lambda, `shift` is "none", "random" or d
    numbers in [0, 1], `axes` the two axes (from 0) that are drawn where d > 3.

    >>> Settings().replace(epsilon=0.5).to_query()
    {'v': '1', 'epsilon': '0.5'}
    >>> settings, problems = Settings.from_query({"epsilon": "1000"})
    >>> settings.epsilon, problems[0].message
    (20.0, 'ε: 1000 is outside 0.01 to 20; 20 is used.')
    """

    cloud: str = "city"
    n: int = 2000
    d: int = 2
    data_seed: int = 0
    epsilon: float = 1.0
    theta: float = 0.0
    gamma: float | None = None
    delta: float | None = None
    shift: Shift = "none"
    tree_share: float | None = None
    mode: str = "tight"
    neighbours: str = "add-remove"
    max_depth: int | None = None
    projection: str | None = None
    representative: str = "centre"
    seed: int = 0
    axes: tuple[int, int] = (0, 1)

    # ---- the link

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> tuple[Settings, tuple[Problem, ...]]:
        """Read a link (text by name); what is missing is at its default. Never raises."""
        problems: list[Problem] = []
        values: dict[str, Any] = {}
        texts = {key: _last(query[key]) for key in query}
        if texts.get("v", VERSION) != VERSION:
            problems.append(Problem("v", words.NEWER.format(value=words.short(texts["v"]))))
        for key, text in texts.items():
            if key in words.DIALS:
                values[key] = _read(key, text, problems)
            elif key not in FOREIGN:
                problems.append(Problem(key, words.UNKNOWN.format(key=words.short(key))))
        settings, more = cls(**values).repaired()
        return settings, (*problems, *more)

    def to_query(self) -> dict[str, str]:
        """Write the link: the dials that differ from their defaults, and the version; empty if none does."""
        changed = {key: _written(key, getattr(self, key)) for key in self.changed()}
        return {"v": VERSION, **changed} if changed else {}

    def changed(self) -> tuple[str, ...]:
        """Name the dials that are not at their defaults."""
        return tuple(field.name for field in dataclasses.fields(self) if getattr(self, field.name) != field.default)

    def acting(self) -> tuple[str, ...]:
        """Name the dials that are not at their defaults and have an effect: those that a page marks as changed.

        >>> Settings(mode="paper", theta=5.0).changed(), Settings(mode="paper", theta=5.0).acting()
        (('theta', 'mode'), ('mode',))
        """
        ignored = self.inactive()
        return tuple(key for key in self.changed() if key not in ignored)

    def replace(self, **dials: Any) -> Settings:
        """Return these settings with some dials turned; call `repaired` if they come from a person."""
        return dataclasses.replace(self, **dials)

    # ---- what the dials mean

    @property
    def data_id(self) -> str:
        """Name the data set that the dials describe: figures keep their zoom as long as it stays the same."""
        return f"{self.cloud}-{self.n}-{self.d}-{self.data_seed}"

    def summary(self) -> str:
        """Say in a line what is not at its default and has an effect, "" if nothing is.

        >>> Settings(epsilon=0.5, seed=3).summary()
        'ε 0.5, Seed of the noise 3'
        """
        return ", ".join(f"{words.DIALS[key]} {_written(key, getattr(self, key))}" for key in self.acting())

    def inactive(self) -> dict[str, str]:
        """Name the dials that have no effect beside the others, each with the reason."""
        reasons: dict[str, str] = {}
        if self.delta is not None:
            reasons["gamma"] = words.DELTA_REPLACES_GAMMA
        if self.mode == "paper":
            reasons |= dict.fromkeys(FIXED_BY_PAPER, words.PAPER_FIXES)
        if self.d <= 2:
            reasons["axes"] = words.ONE_PICTURE
        return reasons

    def notes(self) -> tuple[str, ...]:
        """Say what a reader could not expect of this combination of dials."""
        return (words.SYMMETRIC,) if self.mode == "tight" and self.neighbours == "replace-one" else ()

    def parameters(self) -> Parameters:
        """Return the mechanism's parameters; dials that have no effect are left out. Raises if `repaired` would act."""
        return Parameters(**self._arguments())

    def code(self, data: str = "") -> str:
        """Return Python code that computes what the page shows; `data` are lines that define points and box."""
        imports = ["from privcore import Parameters, simulate"]
        if not data:
            imports.append("from privcore.clouds import box_of, make")
            data = (
                f"points = make({self.cloud!r}, n={self.n}, d={self.d}, seed={self.data_seed})\n"
                f"box = box_of({self.cloud!r}, {self.d})"
            )
        arguments = {**self._arguments(), "epsilon": self.epsilon}
        text = ", ".join(f"{key}={arguments[key]!r}" for key in ("epsilon", *(k for k in arguments if k != "epsilon")))
        return "\n".join(
            [
                *imports,
                "",
                data.rstrip(),
                f"parameters = Parameters({text})",
                f"run = simulate(points, box, parameters, seed={self.seed})  # NOT PRIVATE: it holds the data",
                "",
                'print(f"{len(run.tree.leaves)} leaves, W1 = {run.w1.value:.4f} in the unit cube")',
                "table = run.measure.to_frame()",
                "",
            ]
        )

    def _arguments(self) -> dict[str, Any]:
        """The arguments of Parameters that differ from its defaults, and epsilon."""
        names = ("theta", "gamma", "delta", "tree_share", "max_depth", "projection")
        names += ("mode", "neighbours", "shift", "representative")
        ignored = self.inactive()
        default = Settings()
        turned = (key for key in names if key not in ignored and getattr(self, key) != getattr(default, key))
        return {"epsilon": self.epsilon, **{key: getattr(self, key) for key in turned}}

    # ---- any combination of dials, made valid

    def repaired(self) -> tuple[Settings, tuple[Problem, ...]]:
        """Return the nearest valid settings, and a sentence for each dial that had to move. Never raises."""
        problems: list[Problem] = []
        values: dict[str, Any] = {}
        for key, choices in CHOICES.items():
            values[key] = _chosen(key, getattr(self, key), choices, problems)
        for key in RANGES:
            values[key] = _within(key, getattr(self, key), *span(key), problems)
        values["d"] = _dimension(values["cloud"], values["d"], problems)
        values["max_depth"] = _within("max_depth", values["max_depth"], 1, AXIS_DIGITS * values["d"], problems)
        values["shift"] = _shift(self.shift, values["d"], problems)
        values["axes"] = _axes(self.axes, values["d"], problems)
        return _affordable(Settings(**values), problems), tuple(problems)


@lru_cache(maxsize=1024)
def cost_of(parameters: Parameters, d: int) -> Cost:
    """Return `Parameters.cost`, which takes milliseconds: a page asks for the same one several times a run."""
    return parameters.cost(d)


# ---- reading text ----------------------------------------------------------------------------------------------------


def _last(value: Any) -> str:
    if isinstance(value, list | tuple):
        value = value[-1] if value else ""
    return str(value)


def _read(key: str, text: str, problems: list[Problem]) -> Any:
    """Turn a part of the link into a dial's value, or into its default with a problem."""
    default = getattr(Settings(), key)
    if key in CHOICES:
        return text
    if key == "shift":
        return text if text in ("none", "random") else _numbers(text) or _refused_shift(text, problems)
    if key == "axes":
        pair = _numbers(text)
        return tuple(number - 1 for number in pair) if pair else (math.nan, math.nan)
    number = _number(text)
    if number is None:
        message = words.NOT_A_NUMBER.format(dial=words.DIALS[key], value=words.short(text), used=_shown(key, default))
        problems.append(Problem(key, message))
        return default
    return number


def _refused_shift(text: str, problems: list[Problem]) -> Shift:
    problems.append(Problem("shift", words.SHIFT.format(value=words.short(text), d="d", used="none")))
    return "none"


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _numbers(text: str) -> tuple[float, ...] | None:
    parts = [_number(part) for part in text.split(",")[:1000]]
    return None if any(part is None for part in parts) else tuple(part for part in parts if part is not None)


def _written(key: str, value: Any) -> str:
    if key == "axes":
        return ",".join(str(axis + 1) for axis in value)
    if isinstance(value, tuple):
        return ",".join(_plain(number) for number in value)
    return value if isinstance(value, str) else _plain(value)


def _plain(number: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(number)).removesuffix(".0") if abs(number) < 1e15 else repr(number)


def _shown(key: str, value: Any) -> str:
    if value is None:
        return "its default"
    return f"{value:g}" if isinstance(value, float) else _written(key, value)


# ---- making values valid ---------------------------------------------------------------------------------------------


def _chosen(key: str, value: Any, choices: tuple[str, ...], problems: list[Problem]) -> Any:
    default = getattr(Settings(), key)
    if value in choices or value == default:
        return value
    folded = {choice.casefold(): choice for choice in choices}
    if str(value).casefold() in folded:
        return folded[str(value).casefold()]
    message = words.NOT_A_CHOICE.format(
        dial=words.DIALS[key], value=words.short(value), choices=_listed(choices), used=_shown(key, default)
    )
    problems.append(Problem(key, message))
    return default


def _listed(choices: Iterable[str]) -> str:
    return ", ".join(choices)


def _within(key: str, value: Any, low: float, high: float, problems: list[Problem]) -> Any:
    if value is None:
        return None
    used = min(max(value, low), high)
    if used != value:
        message = words.OUT_OF_RANGE.format(
            dial=words.DIALS[key], value=f"{value:.12g}", low=f"{low:.12g}", high=f"{high:.12g}", used=f"{used:.12g}"
        )
        problems.append(Problem(key, message))
    if key not in WHOLE:
        return float(used)
    whole = round(used)
    if whole != used:
        message = words.NOT_WHOLE.format(dial=words.DIALS[key], value=f"{value:.12g}", used=whole)
        problems.append(Problem(key, message))
    return whole


def span(key: str) -> tuple[float, float]:
    """Return the least and the greatest value of a dial on this server."""
    low, high = RANGES[key]
    return (low, min(high, limits().points)) if key == "n" else (low, high)


def _dimension(cloud: str, d: int, problems: list[Problem]) -> int:
    low, high = dimensions(cloud)
    used = min(max(d, low), high)
    if used != d:
        message = words.CLOUD_DIMENSION.format(
            dial=words.DIALS["d"], value=d, cloud=CLOUDS[cloud].title, low=low, high=high, used=used
        )
        problems.append(Problem("d", message))
    return used


def dimensions(cloud: str) -> tuple[int, int]:
    """Return the least and the greatest d that a scenario can be drawn in here."""
    least, most = CLOUDS[cloud].dimensions
    return max(int(least), int(RANGES["d"][0])), min(int(most), int(RANGES["d"][1]))


def _shift(value: Any, d: int, problems: list[Problem]) -> Shift:
    if value in ("none", "random"):
        return cast(Shift, value)
    given = tuple(value) if isinstance(value, list | tuple) else ()
    if not given:
        problems.append(Problem("shift", words.SHIFT.format(value=words.short(value), d=d, used="none")))
        return "none"
    used = tuple(min(max(float(number), 0.0), 1.0) for number in (*given, *[0.5] * d)[:d])
    if used != given:
        shown = _written("shift", tuple(float(number) for number in given))
        problems.append(
            Problem("shift", words.SHIFT.format(value=words.short(shown), d=d, used=", ".join(f"{u:g}" for u in used)))
        )
    return used


def _axes(value: tuple[float, ...], d: int, problems: list[Problem]) -> tuple[int, int]:
    default = Settings().axes
    if tuple(value) == default:
        return default
    whole = len(value) == 2 and all(number in range(d) for number in value)
    if whole and value[0] != value[1]:
        return int(value[0]), int(value[1])
    shown = ",".join(f"{number + 1:g}" for number in value[:8])
    problems.append(Problem("axes", words.AXES.format(value=shown, d=d, used="1,2")))
    return default


def _affordable(settings: Settings, problems: list[Problem]) -> Settings:
    """Move delta and theta to where the mechanism can pay for them; last resort: back to its defaults."""
    ignored = settings.inactive()
    if settings.delta is not None and "delta" not in ignored:
        settings = _payable_delta(settings, problems)
    if settings.theta < 0 and "theta" not in ignored:
        settings = _bounded_theta(settings, problems)
    reason = _refusal(settings)
    if reason is None:
        return settings
    problems.append(Problem("epsilon", words.RESET.format(reason=words.short(reason, 200))))
    return settings.replace(**{key: getattr(Settings(), key) for key in (*FIXED_BY_PAPER, "max_depth")})


def _refusal(settings: Settings) -> str | None:
    try:
        cost_of(settings.parameters(), settings.d)
    except InvalidParametersError as error:
        return str(error)
    return None


def _payable_delta(settings: Settings, problems: list[Problem]) -> Settings:
    """Keep delta a hundredth above ln 2 / epsilon_tree, the least at which some lambda makes the tree cost its share.

    Nearer to it lambda grows without bound, and so does the time to find it.
    """
    least = 1.01 * math.log(2.0) / settings.parameters().tree_budget(settings.d)
    if settings.delta is None or settings.delta >= least:
        return settings
    used = _upwards(least)
    problems.append(Problem("delta", words.DELTA_TOO_SMALL.format(value=f"{settings.delta:g}", used=f"{used:g}")))
    return settings.replace(delta=used)


def _bounded_theta(settings: Settings, problems: list[Problem]) -> Settings:
    free = settings.replace(theta=0.0)
    if _refusal(free) is not None:
        return settings
    lowest = THETA_FLOOR * cost_of(free.parameters(), settings.d).delta
    if settings.theta >= lowest:
        return settings
    used = _upwards(lowest)
    problems.append(Problem("theta", words.THETA_TOO_LOW.format(value=f"{settings.theta:g}", used=f"{used:g}")))
    return settings.replace(theta=used)


def _upwards(number: float) -> float:
    """Round up to four significant digits, so that the sentence can show it in full.

    >>> _upwards(1.23412), _upwards(-56.789)
    (1.235, -56.78)
    """
    step = 10.0 ** (math.floor(math.log10(abs(number))) - 3)
    return float(f"{math.ceil(number / step) * step:.4g}")
