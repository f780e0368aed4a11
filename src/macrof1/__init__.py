"""Both macro F1s, always named: averaged F1 and F1 of averages.

>>> import macrof1
>>> result = macrof1.score(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
>>> round(result.averaged_f1, 4), round(result.f1_of_averages, 4)
(0.7333, 0.7895)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from macrof1._version import __version__ as __version__

if TYPE_CHECKING:
    from macrof1._public import *  # noqa: F403 - its __all__ is ours
else:

    def __getattr__(name: str) -> Any:
        """Load the public names when the first of them is asked for."""
        public = import_module("macrof1._public")
        names = globals()
        names.update({each: getattr(public, each) for each in public.__all__}, __all__=public.__all__)
        if name in names:
            return names[name]
        raise AttributeError(f"module 'macrof1' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *import_module("macrof1._public").__all__})
