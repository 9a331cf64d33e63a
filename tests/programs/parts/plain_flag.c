/* A flag that is set by code that darn never sees: compiled by the plain compiler. */
void plain_flag_set(int *flag);

void plain_flag_set(int *flag)
{
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}
