"""The codes of theories, one kind a file; `fivefold.bits.theory` is their public face."""
