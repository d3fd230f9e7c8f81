"""The errors that the API raises.

Their classes are the kit's own. A traceback names a class by its ``__module__``, and what users may
import, and catch, is the name in this package.
"""

from mockserver.foundation.faults import AdapterError as AdapterError
from mockserver.foundation.faults import Fault as Fault
from mockserver.foundation.faults import InputError as InputError
from mockserver.foundation.faults import KitError as KitError
from mockserver.foundation.faults import Problem as Problem
from mockserver.foundation.faults import ScenarioError as ScenarioError
from mockserver.foundation.faults import UserError as UserError
from mockserver.foundation.faults import did_you_mean as did_you_mean

for _fault in (Fault, ScenarioError, UserError, InputError, AdapterError, KitError):
    _fault.__module__ = "streamproof"
