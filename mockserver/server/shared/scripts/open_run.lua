-- KEYS: server, run, runs. ARGV: the run's id, its case, now, the most runs, seconds until it
-- expires, the prefix of the keys of runs. Above the limit, the oldest runs are closed.
redis.call('HSET', KEYS[2], 'case', ARGV[2], 'requests', 0, 'dropped', 0, 'weight', 0)
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
redis.call('EXPIRE', KEYS[3], ARGV[5])
while redis.call('ZCARD', KEYS[3]) > tonumber(ARGV[4]) do
  redis.call('DEL', ARGV[6] .. redis.call('ZPOPMIN', KEYS[3])[1])
end
return 1
