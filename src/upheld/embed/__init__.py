"""Embedders: what turns a text into a unit vector. Adapters of `upheld.ports.Embedder`; they know no flow."""
