"""The note, executable."""

from macrof1.paper.reproduction import ReproduceResult, reproduce

__all__ = ["ReproduceResult", "reproduce"]
