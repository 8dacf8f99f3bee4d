"""Score translations by TER in a process of its own: JSON lines in, a score per line out.

The smallest program that the metric `command` can run. It needs sacrebleu, which Recombine has.
"""

import json
import sys

from sacrebleu.metrics import TER

ter = TER()
for line in sys.stdin:
    asked = json.loads(line)
    score = ter.sentence_score(asked["hypothesis"], asked["references"]).score
    print(json.dumps({"id": asked["id"], "score": score}), flush=True)
