"""The array types of the core, and how an array is made immutable."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint64]
Bools: TypeAlias = NDArray[np.bool_]


def frozen(array: Any, dtype: Any = None) -> Any:
    """Return `array` as a read-only numpy array, copied if somebody else could still write to it.

    >>> frozen([1.0, 2.0]).flags.writeable
    False
    """
    result = np.array(array, dtype=dtype, copy=True) if _is_shared(array, dtype) else np.asarray(array, dtype=dtype)
    result.flags.writeable = False
    return result


def _is_shared(array: Any, dtype: Any) -> bool:
    if not isinstance(array, np.ndarray):
        return False
    return array.flags.writeable and (dtype is None or array.dtype == np.dtype(dtype))
