"""The Lua scripts that change what the workers share: each runs whole, or not at all.

Every script is given the server's own key first. If the Redis has lost that key, it has lost other
keys with it, and each script answers with the error ``GONE`` instead of acting on what is left.
"""

from __future__ import annotations

GONE = "GONE"

_CHECK = f"if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('{GONE}') end\n"

# KEYS: server, run, runs. ARGV: the run's id, its case, now, the most runs, seconds until it
# expires, the prefix of the keys of runs. Above the limit, the oldest runs are closed.
OPEN_RUN = (
    _CHECK
    + """
redis.call('HSET', KEYS[2], 'case', ARGV[2], 'requests', 0, 'dropped', 0, 'weight', 0)
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
redis.call('EXPIRE', KEYS[3], ARGV[5])
while redis.call('ZCARD', KEYS[3]) > tonumber(ARGV[4]) do
  redis.call('DEL', ARGV[6] .. redis.call('ZPOPMIN', KEYS[3])[1])
end
return 1
"""
)

# KEYS: server, run, runs. ARGV: the worker, the most exchanges of a run, seconds until it expires.
# Returns the number of the request in its run, from 0; nothing if the run is closed.
BEGIN = (
    _CHECK
    + """
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
"""
)

# KEYS: server, run. ARGV: the number of the request, its record, the most bytes of a run.
# A second time, it changes nothing.
END = (
    _CHECK
    + """
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
"""
)

# KEYS: server, run. ARGV: the turn. Returns how many requests there were for it; nothing if the
# run is closed.
ATTEMPT = (
    _CHECK
    + """
if redis.call('EXISTS', KEYS[2]) == 0 then return false end
return redis.call('HINCRBY', KEYS[2], 'turn:' .. ARGV[1], 1)
"""
)

# KEYS: server, journal, totals. ARGV: the most records, the most bytes, seconds until they expire,
# the worker, how many requests it has only counted so far, then for each record when its request
# came, and the record. A second time, it changes nothing.
NOTE = (
    _CHECK
    + """
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
"""
)
