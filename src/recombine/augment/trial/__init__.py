"""What can be made of the pairs: sentences read backwards, and combinations held out from them."""
