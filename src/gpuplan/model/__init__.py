"""The arithmetic of one step: the table of operations and the folds over it."""
