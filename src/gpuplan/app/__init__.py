"""The only wiring place: surfaces call these functions, and these call facts, arithmetic and search."""
