/* A part of lazily_bound.c: so many values are alive at each write that all registers are in use.
 */
struct request {
    long kind, *loop, result, flags, *path, *other, *buffers, file, count, offset, *callback;
};

int fill(struct request *request, long *loop, long file, long *buffers, long count, long offset,
         long *callback)
{
    if (!request)
        return -1;
    request->kind = 6;
    request->result = 0;
    request->loop = loop;
    request->path = 0;
    request->other = 0;
    request->buffers = 0;
    request->callback = callback;
    if (!buffers || !count)
        return -1;
    request->file = file;
    request->count = count;
    request->buffers = buffers;
    request->flags = count > 4;
    request->offset = offset;
    return callback && loop ? (int)(*callback + *loop) : 0;
}
