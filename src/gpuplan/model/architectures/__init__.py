"""Tables of operations, one file a family."""
