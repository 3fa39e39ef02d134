"""Writers for consolidation: `extractive` chooses sentences, `recurrence` sees what recurs, `llm` asks a model."""
