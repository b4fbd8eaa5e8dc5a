"""Models held against models: conformance, what changed, equivalent and compatible states, and telling states apart."""

from outplay.conformance.automaton_report import SilenceFault, silence_faults
from outplay.conformance.behaviour import Behaviour
from outplay.conformance.changes import ModelChange, changes
from outplay.conformance.compatibility import Compatibility, compatible_states
from outplay.conformance.completion import Minimised, demonic, merged, minimised
from outplay.conformance.distinguishing.adaptive_graph import Distinguishing, distinguishing
from outplay.conformance.distinguishing.experiment import Experiment, Identification
from outplay.conformance.distinguishing.further_tests import FurtherTest, further_tests
from outplay.conformance.distinguishing.splitting_graph import SplittingGraph
from outplay.conformance.refinement import Conforms, Differs, Relation, check

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
    "further_tests",
    "merged",
    "minimised",
    "silence_faults",
]
