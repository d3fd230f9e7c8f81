"""What a finding is: values in ``finding``, and their words in ``words``, for what shows them."""
