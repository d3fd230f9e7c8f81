-- KEYS: server, run, runs. ARGV: the worker, the most exchanges of a run, seconds until it expires.
-- Returns the number of the request in its run, from 0; nothing if the run is closed.
if redis.call('EXISTS', KEYS[2]) == 0 then return false end
local n = redis.call('HINCRBY', KEYS[2], 'requests', 1) - 1
if n < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[2], 'exchange:' .. n, '@' .. ARGV[1])
else
  redis.call('HINCRBY', KEYS[2], 'dropped', 1)
end
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[3])
return n
