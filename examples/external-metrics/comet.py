"""Score translations with COMET: JSON lines in, a score per line out.

Not run here: no weights of it are at hand. It is written after the documentation of
unbabel-comet 2.2. Give it an environment of its own (`python -m venv comet; comet/bin/pip install
unbabel-comet`): it wants numpy below 2 and transformers below 5. The model is a folder or
checkpoint on disk, downloaded before, as nothing is fetched while scoring.
"""

import json
import sys

from comet import load_from_checkpoint

model = load_from_checkpoint(sys.argv[1])  # .../wmt22-comet-da/checkpoints/model.ckpt
asked = [json.loads(line) for line in sys.stdin]  # one batch: see batch_size
data = [
    {"src": row["source"], "mt": row["hypothesis"], "ref": row["references"][0]} for row in asked
]
for row, score in zip(asked, model.predict(data, batch_size=16, gpus=0).scores, strict=True):
    print(json.dumps({"id": row["id"], "score": score}))
