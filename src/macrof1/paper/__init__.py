"""The paper as an executable reproduction."""

from typing import TYPE_CHECKING, Any

__all__ = ["ReproduceResult", "reproduce"]

if TYPE_CHECKING:
    from macrof1.paper.reproduction import ReproduceResult, reproduce
else:

    def __getattr__(name: str) -> Any:
        """Load the reproduction on demand: the paper's program, in the same package, starts without it."""
        if name not in __all__:
            raise AttributeError(f"module 'macrof1.paper' has no attribute {name!r}")
        from macrof1.paper import reproduction

        return getattr(reproduction, name)
