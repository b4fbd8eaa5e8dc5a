"""Commands typed in a shell, one after the other, as a reader of a page types them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def typed(commands: str, before: str) -> tuple[str, str]:
    """What a command prints, and the folder it ends in."""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    env.pop("CI", None)
    script = f"cd {before}\n{commands}\nstatus=$?\npwd > {Path('where').absolute()}\nexit $status"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=env, timeout=200, check=False)
    assert done.returncode in (0, 1), done
    assert done.returncode == 0 or any(word in done.stdout for word in ("Fail", "FAILED")), done
    return done.stdout, Path("where").read_text().strip()
