-- KEYS: server, run. ARGV: the number of the request, its record, the most bytes of a run.
-- A second time, it changes nothing.
local field = 'exchange:' .. ARGV[1]
local known = redis.call('HGET', KEYS[2], field)
if not known or string.sub(known, 1, 1) ~= '@' then return 0 end
local weight = redis.call('HINCRBY', KEYS[2], 'weight', #ARGV[2])
if weight > tonumber(ARGV[3]) then
  redis.call('HINCRBY', KEYS[2], 'weight', -#ARGV[2])
  redis.call('HDEL', KEYS[2], field)
  redis.call('HINCRBY', KEYS[2], 'dropped', 1)
else
  redis.call('HSET', KEYS[2], field, ARGV[2])
end
return 1
