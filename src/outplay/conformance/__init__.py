"""Models held against models: conformance, what changed, equivalent and compatible states, and telling states apart."""

from outplay.conformance.behaviour import Behaviour
from outplay.conformance.changes import ModelChange, changes
from outplay.conformance.compatibility import Compatibility, compatible_states
from outplay.conformance.completion import Minimised, demonic, minimised
from outplay.conformance.refinement import Conforms, Differs, Relation, check
from outplay.conformance.silence import SilenceFault, silence_faults

__all__ = [
    "Behaviour",
    "Compatibility",
    "Conforms",
    "Differs",
    "Minimised",
    "ModelChange",
    "Relation",
    "SilenceFault",
    "changes",
    "check",
    "compatible_states",
    "demonic",
    "minimised",
    "silence_faults",
]
