-- KEYS: server, journal, totals. ARGV: the most records, the most bytes, seconds until they expire,
-- the worker, how many requests it has only counted so far, then for each record when its request
-- came, and the record. A second time, it changes nothing.
local added, bytes = 0, 0
for n = 6, #ARGV, 2 do
  if redis.call('ZADD', KEYS[2], 'NX', ARGV[n], ARGV[n + 1]) == 1 then
    added, bytes = added + 1, bytes + #ARGV[n + 1]
  end
end
redis.call('HINCRBY', KEYS[3], 'requests', added)
redis.call('HSET', KEYS[3], 'counted:' .. ARGV[4], ARGV[5])
bytes = redis.call('HINCRBY', KEYS[3], 'bytes', bytes)
local kept, freed = redis.call('ZCARD', KEYS[2]), 0
while kept > tonumber(ARGV[1]) or bytes - freed > tonumber(ARGV[2]) do
  freed = freed + #redis.call('ZPOPMIN', KEYS[2])[1]
  kept = kept - 1
end
redis.call('HINCRBY', KEYS[3], 'bytes', 0 - freed)
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[3])
return added
