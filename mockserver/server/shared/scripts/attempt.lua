-- KEYS: server, run. ARGV: the turn. Returns how many requests there were for it; nothing if the
-- run is closed.
if redis.call('EXISTS', KEYS[2]) == 0 then return false end
return redis.call('HINCRBY', KEYS[2], 'turn:' .. ARGV[1], 1)
