"""All situations in which our streams are compared with those of the AI SDK."""

from collections.abc import Mapping

from tests.dialects.ai_sdk.answers import ANSWERS
from tests.dialects.ai_sdk.other_parts import OTHERS
from tests.dialects.ai_sdk.situation import Situation
from tests.dialects.ai_sdk.tools import PROVIDER_TOOLS, TOOLS

SITUATIONS: Mapping[str, Situation] = {**ANSWERS, **PROVIDER_TOOLS, **TOOLS, **OTHERS}
