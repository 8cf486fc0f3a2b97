"""Every test sees the package's own facts and English, whatever the machine it runs on."""

import os
import tempfile

os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="gpuplan-tests-")
for name in ("GPUPLAN_LANG", "GPUPLAN_DEBUG", "GPUPLAN_COMMAND", "COLUMNS", "LC_ALL", "LC_MESSAGES"):
    os.environ.pop(name, None)
os.environ["LANG"] = "C.UTF-8"
