"""The corpus: where documents come from and how they are read. Pure readers and places; they know no store."""
