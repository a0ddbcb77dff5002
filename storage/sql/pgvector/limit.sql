-- How long one statement of this connection may take, milliseconds; 0: as long as it needs.
SELECT set_config('statement_timeout', %(ms)s, false)
