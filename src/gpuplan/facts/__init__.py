"""Types of the facts: frozen records with sources. Their files live in `gpuplan.data`."""
