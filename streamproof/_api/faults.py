"""The errors that the API raises.

Their classes are the kit's own. A traceback names a class by its ``__module__``, and what users may
import, and catch, is the name in this package.
"""

from mockserver.foundation.faults import (
    AdapterError,
    Fault,
    InputError,
    KitError,
    Problem,
    ScenarioError,
    UserError,
    did_you_mean,
)

__all__ = [
    "AdapterError",
    "Fault",
    "InputError",
    "KitError",
    "Problem",
    "ScenarioError",
    "UserError",
    "did_you_mean",
]

for _fault in (Fault, ScenarioError, UserError, InputError, AdapterError, KitError):
    _fault.__module__ = "streamproof"
