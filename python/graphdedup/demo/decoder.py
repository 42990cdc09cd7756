"""A small decoder whose results are bitwise repeatable, for comparing replays.

GEMMs of different kernels sum in different orders, some in an order that changes from run to run. Each GEMM here gets
small integers on both sides, so that every partial sum is an integer that float32 holds exactly and the order cannot
matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom


@dataclass(frozen=True)
class DecoderConfig:
    """Sizes of the decoder."""

    layers: int = 8
    hidden: int = 1024
    heads: int = 16
    kv_heads: int = 8
    head_size: int = 64
    feed_forward: int = 2816
    vocabulary: int = 4096
    context: int = 256
    max_batch: int = 64


def _small_integers(x: torch.Tensor) -> torch.Tensor:
    return (x * 4).round().clamp(-8, 8)


class _Layer(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        width, kv_width = config.heads * config.head_size, config.kv_heads * config.head_size
        self.qkv = torch.nn.Linear(config.hidden, width + 2 * kv_width, bias=False)
        self.attention_out = torch.nn.Linear(width, config.hidden, bias=False)
        self.gate_up = torch.nn.Linear(config.hidden, 2 * config.feed_forward, bias=False)
        self.down = torch.nn.Linear(config.feed_forward, config.hidden, bias=False)
        cache = torch.zeros(config.max_batch, config.kv_heads, config.context, config.head_size)
        self.register_buffer("keys", cache)
        self.register_buffer("values", cache.clone())

    def forward(self, x: torch.Tensor, positions: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
        x = x + self._attend(F.rms_norm(x, (self.config.hidden,)), positions, visible)
        gate, up = self.gate_up(_small_integers(F.rms_norm(x, (self.config.hidden,)))).chunk(2, -1)
        return x + self.down(_small_integers(F.silu(gate / 64) * up / 64))

    def _attend(self, x: torch.Tensor, positions: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
        c, batch = self.config, x.shape[0]
        kv_width = c.kv_heads * c.head_size
        query, key, value = self.qkv(_small_integers(x)).split([c.heads * c.head_size, kv_width, kv_width], -1)
        slot = positions.view(batch, 1, 1, 1).expand(batch, c.kv_heads, 1, c.head_size)
        self.keys[:batch].scatter_(2, slot, key.view(batch, c.kv_heads, 1, c.head_size))
        self.values[:batch].scatter_(2, slot, value.view(batch, c.kv_heads, 1, c.head_size))
        attended = F.scaled_dot_product_attention(
            query.view(batch, c.heads, 1, c.head_size),
            self.keys[:batch],
            self.values[:batch],
            attn_mask=visible.view(batch, 1, 1, c.context),
            enable_gqa=True,
        )
        return self.attention_out(_small_integers(attended.reshape(batch, -1)))


class Decoder(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """One decode step: token ids and positions to logits, over a key-value cache that the step writes to."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = torch.nn.Embedding(config.vocabulary, config.hidden)
        self.layers = torch.nn.ModuleList(_Layer(config) for _ in range(config.layers))
        self.head = torch.nn.Linear(config.hidden, config.vocabulary, bias=False)

    def forward(self, ids: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Return the logits, one row for each id."""
        x = self.embedding(ids)
        visible = torch.arange(self.config.context, device=ids.device)[None] <= positions[:, None]
        for layer in self.layers:
            x = layer(x, positions, visible)
        return self.head(_small_integers(F.rms_norm(x, (self.config.hidden,))))


def make_decoder(config: DecoderConfig, device: Any, seed: int) -> Decoder:
    """Build a decoder in bfloat16 with weights and cache of small integers."""
    generator = torch.Generator(device=device).manual_seed(seed)
    with torch.device(device):
        model = Decoder(config)
    model.to(torch.bfloat16).eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter.random_(-1, 2, generator=generator)
    for buffer in model.buffers():
        buffer.random_(-2, 3, generator=generator)
    return model
