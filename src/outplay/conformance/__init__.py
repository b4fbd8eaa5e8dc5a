"""Models held against models: conformance, what changed, equivalent and compatible states, and telling states apart."""

from outplay.conformance.behaviour import Behaviour
from outplay.conformance.changes import ModelChange, changes
from outplay.conformance.compatibility import Compatibility, compatible_states
from outplay.conformance.completion import Minimised, demonic, minimised
from outplay.conformance.merging import merged
from outplay.conformance.refinement import Conforms, Differs, Relation, check
from outplay.conformance.silence import SilenceFault, silence_faults
from outplay.conformance.telling_apart.adaptive import Distinguishing, distinguishing
from outplay.conformance.telling_apart.experiment import Experiment
from outplay.conformance.telling_apart.further_tests import FurtherTest, further_tests
from outplay.conformance.telling_apart.identification import Identification
from outplay.conformance.telling_apart.one_test_limit import fewest_missed
from outplay.conformance.telling_apart.splitting_graph import SplittingGraph

__all__ = [
    "Behaviour",
    "Compatibility",
    "Conforms",
    "Differs",
    "Distinguishing",
    "Experiment",
    "FurtherTest",
    "Identification",
    "Minimised",
    "ModelChange",
    "Relation",
    "SilenceFault",
    "SplittingGraph",
    "changes",
    "check",
    "compatible_states",
    "demonic",
    "distinguishing",
    "fewest_missed",
    "further_tests",
    "merged",
    "minimised",
    "silence_faults",
]
