"""A graphics card that is none: tensors that say they are on CUDA, refuse to meet others, and count who waits for them.

Their numbers are computed on the CPU, so that results can be compared; what a card would refuse is refused. Torch's own
FakeTensorMode has no numbers, and stops at the first sum that a run looks at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode, resolve_name

CARD = torch.device("cuda", 0)
# what makes the host wait until the card has finished: numbers that are looked at, copies to the host, shapes that
# depend on numbers
_WAITS = {
    f"torch.Tensor.{name}"
    for name in ("item", "tolist", "__float__", "__int__", "__bool__", "__index__", "__complex__", "nonzero", "cpu")
} | {"torch.nonzero", "torch.masked_select", "torch.Tensor.masked_select", "torch.equal", "torch.unique"}
_COPIES = {"torch.Tensor.copy_", "torch.Tensor.__setitem__", "torch.Tensor.to", "torch.Tensor.cpu"}
_REFUSED = {"torch.Tensor.numpy", "torch.Tensor.__array__"}


class SimulatedTensor(Tensor):
    """A tensor on the card; `SimulatedCard` does all the work."""


class SimulatedCard(TorchFunctionMode):
    """Runs torch's functions as if there were a card.

    Attributes
    ----------
    waits
        How often, and why, the host waited for the card.
    """

    def __init__(self) -> None:
        super().__init__()
        self.waits: Counter[str] = Counter()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        name = resolve_name(func) or getattr(func, "__qualname__", str(func))
        given = list(_tensors((args, kwargs)))
        on_card = [tensor for tensor in given if isinstance(tensor, SimulatedTensor)]
        if name == "torch.Tensor.device.__get__":
            return CARD if on_card else torch.device("cpu")
        if name == "torch.Tensor.is_cuda.__get__":
            return bool(on_card)
        if name == "torch.Tensor.is_cpu.__get__":
            return not on_card
        asked = _device_of(name, args, kwargs)
        kwargs = {key: "cpu" if _is_card(value) else value for key, value in kwargs.items()}
        plain = tuple("cpu" if _is_card(value) else value for value in args)
        if on_card:
            self._check(name, args, given)
        elif asked is not None and asked.type == "cuda" and kwargs.get("generator") is not None:
            raise RuntimeError("Expected a 'cuda' device type for generator but found 'cpu'")
        with torch._C.DisableTorchFunction():
            result = func(*_map(plain, _bare), **{key: _map(value, _bare) for key, value in kwargs.items()})
        target = asked or (CARD if on_card else torch.device("cpu"))
        if name.startswith(("torch.Tensor.to", "torch.Tensor.cpu")) and isinstance(result, Tensor):
            moved = target.type != ("cuda" if on_card else "cpu")
            result = result.clone() if moved else result
            if moved and on_card and name != "torch.Tensor.cpu":
                self.waits["to the host"] += 1
        return _map(result, _carded) if target.type == "cuda" else result

    def _check(self, name: str, args: Any, given: list[Tensor]) -> None:
        if name in _REFUSED:
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first.")
        mixed = any(not isinstance(tensor, SimulatedTensor) and tensor.ndim for tensor in given)
        if mixed and name not in _COPIES and name != "torch.Tensor.__getitem__":
            raise RuntimeError(f"Expected all tensors to be on the same device, but found cuda:0 and cpu in {name}")
        if name in _WAITS:
            self.waits[name.rpartition(".")[2]] += 1
        if "itemgetter" in name or name in ("torch.Tensor.__getitem__", "torch.Tensor.__setitem__"):
            chosen = _tensors(args[1:2])
            if any(isinstance(index, SimulatedTensor) and _bare(index).dtype == torch.bool for index in chosen):
                self.waits["chosen by a mask"] += 1


@contextmanager
def simulated_card() -> Iterator[SimulatedCard]:
    """Have a card until the end."""
    with SimulatedCard() as card:
        yield card


def _is_card(value: Any) -> bool:
    if isinstance(value, SimulatedTensor | Tensor):
        return False
    return (isinstance(value, torch.device) and value.type == "cuda") or (
        isinstance(value, str) and value.split(":")[0] == "cuda"
    )


def _device_of(name: str, args: Any, kwargs: Any) -> torch.device | None:
    """Which device the result is asked for on, by name or as that of another tensor."""
    candidates = [kwargs.get("device"), *(args[1:] if name == "torch.Tensor.to" else ())]
    if name == "torch.Tensor.to":
        candidates.append(kwargs.get("other"))
    if name == "torch.Tensor.cpu":
        return torch.device("cpu")
    for value in candidates:
        if _is_card(value) or isinstance(value, SimulatedTensor):
            return CARD
        if isinstance(value, torch.device | Tensor) or value == "cpu":
            return torch.device("cpu")
    return None


def _bare(value: Any) -> Any:
    return value.as_subclass(Tensor) if isinstance(value, SimulatedTensor) else value


def _carded(value: Any) -> Any:
    return value.as_subclass(SimulatedTensor) if isinstance(value, Tensor) else value


def _map(value: Any, change: Any) -> Any:
    if isinstance(value, tuple):
        parts = [_map(part, change) for part in value]
        return type(value)(parts)
    if isinstance(value, list):
        return [_map(part, change) for part in value]
    return change(value)


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _tensors(part)
    elif isinstance(value, dict):
        yield from _tensors(tuple(value.values()))
