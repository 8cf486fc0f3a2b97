"""What forward keeps for backward: tensors by name, and how the software and the method decide which."""

from dataclasses import dataclass

from gpuplan.model.shape import Domain


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A tensor that forward keeps for backward; one name is kept once, however many rows need it."""

    tensor: str
    bytes_per_token: float
    domain: Domain
    bytes_per_token_and_length: float = 0.0
    """Grows with the sequence: attention scores."""
    is_scores: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Regime:
    """What is trained and how the software keeps tensors: decides which rows save what."""

    trains_weights: bool = True
    adapted: frozenset[str] = frozenset()
    """Product parts that carry an adapter."""
    adapter_input_bytes: float = 2.0
    """Bytes an element of the input copy that an adapter keeps: 4 where the adapter computes in fp32."""
    adapter_dropout: bool = False
    fused_qkv: bool = False
    """True where v is a view that keeps the whole result of one q, k, v product alive."""
    keeps_gathered_input: bool = False
    """True where sequence parallelism keeps the gathered input of a product, whole on every tensor rank."""
    quantised: bool = False
    fused_norm: bool = True
    fused_activation: bool = True
    dropout: bool = False
    attention: str = "flash"
    element_bytes: float = 2.0
    """Of an activation: 2 under 16-bit compute (fp8 training keeps 16-bit activations), 4 under fp32."""

    @property
    def copies_adapter_input(self) -> bool:
        """True where an adapter works on a copy of its own: another dtype, or dropout."""
        return self.adapter_input_bytes > self.element_bytes or self.adapter_dropout

    def keeps_input(self, parts: tuple[str, ...]) -> bool:
        """True where a product needs its input again: weight trained or in 4 bit, or shared with an adapter."""
        shares = not self.copies_adapter_input and not self.adapted.isdisjoint(parts)
        return self.trains_weights or self.quantised or shares
