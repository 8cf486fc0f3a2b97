"""What the user asks, as frozen records; no formula lives here."""
