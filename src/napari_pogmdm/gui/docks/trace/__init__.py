"""The Trace dock."""
