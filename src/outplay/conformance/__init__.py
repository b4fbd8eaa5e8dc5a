"""Models held against models: conformance, what changed, equivalent and compatible states, and telling states apart."""

from outplay.conformance.adaptive import Distinguishing, distinguishing
from outplay.conformance.behaviour import Behaviour
from outplay.conformance.changes import ModelChange, changes
from outplay.conformance.compatibility import Compatibility, compatible_states
from outplay.conformance.completion import Minimised, demonic, minimised
from outplay.conformance.experiment import Experiment
from outplay.conformance.further_tests import FurtherTest, further_tests
from outplay.conformance.identification import Identification
from outplay.conformance.merging import merged
from outplay.conformance.one_test_limit import fewest_missed
from outplay.conformance.refinement import Conforms, Differs, Relation, check
from outplay.conformance.silence import SilenceFault, silence_faults
from outplay.conformance.splitting_graph import SplittingGraph

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
