-- What every script begins with. KEYS: the lease. ARGV: stream, channel, then those of the script.
local key, stream, channel = KEYS[1], ARGV[1], ARGV[2]

local l = {}
local stored = redis.call('HGETALL', key)
for i = 1, #stored, 2 do l[stored[i]] = stored[i + 1] end

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

-- whole writes a number without an exponent.
local function whole(n) return string.format('%.0f', n) end

local function at(field) return tonumber(l[field]) or 0 end

-- less compares whole numbers as text: a number of Lua holds 53 bits of a term only.
local function less(a, b)
  if #a ~= #b then return #a < #b end
  return a < b
end

local live = (l.owner or '') ~= '' and at('expiresAt') > now
local held = l.holdAt ~= nil and (at('holdUntil') == 0 or at('holdUntil') > now)

-- told is the answer: the stream, the time, and the fields with their values.
local function told()
  local answer = redis.call('HGETALL', key)
  table.insert(answer, 1, whole(now))
  table.insert(answer, 1, stream)
  return answer
end

-- changed publishes the lease as it has become, and returns the answer.
local function changed()
  local answer = told()
  redis.call('PUBLISH', channel, cjson.encode(answer))
  return answer
end

local function set(...) redis.call('HSET', key, ...) end

local function forget(...) return redis.call('HDEL', key, ...) > 0 end

local function forgetContender()
  return forget('contenderOwner', 'contenderPriority', 'contenderExpiresAt', 'contenderInstance')
end

